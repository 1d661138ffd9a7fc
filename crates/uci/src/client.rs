//! One engine, from its start to its end.

use std::{
    fmt,
    io::Write,
    process::{Child, Command, Stdio},
    sync::{
        atomic::AtomicBool,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use thiserror::Error;

#[cfg(unix)]
use crate::guard::Guard;
use crate::{
    listen::{Heard, LONGEST_LINE, WAITING, listen},
    wait::{Missing, wait_for},
    words::{EngineOption, Said},
};

/// Engines may have networks to load or a large table to clear.
pub const READY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an engine may take to obey `quit` before it is killed.
const QUIT_TIMEOUT: Duration = Duration::from_millis(300);
/// Lines before `uciok`: some engines list hundreds of options.
const LONGEST_GREETING: usize = 10_000;
/// Lines for one answer; hours of the most talkative engines take a tenth of it.
const LONGEST_ANSWER: usize = 500_000;
/// Lines that the engine has not read yet.
const UNREAD: usize = 256;

#[derive(Debug)]
pub struct Client {
    child: Child,
    /// To the thread that writes: an engine that does not read must not stop us.
    said: SyncSender<String>,
    heard: Receiver<Heard>,
    /// Lines heard since the last question, and how many there may be.
    lines: usize,
    most_lines: usize,
    name: String,
    options: Vec<EngineOption>,
    #[cfg(unix)]
    _guard: Option<Guard>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    Crashed(String),
    Hung,
    /// It says more than anybody could want to hear.
    Rambles(String),
    /// All is being stopped; nobody is to blame.
    Aborted,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Crashed(how) => write!(f, "crashed ({how})"),
            Failure::Hung => f.write_str("does not answer"),
            Failure::Rambles(how) => write!(f, "talks without end ({how})"),
            Failure::Aborted => f.write_str("stopped on request"),
        }
    }
}

impl std::error::Error for Failure {}

#[derive(Debug, Error)]
pub enum StartError {
    #[error("an engine needs a command")]
    NoCommand,
    #[error("cannot start `{program}`: {error}")]
    Start { program: String, error: std::io::Error },
    #[error("`{program}` is no UCI engine: no `uciok`: {failure}")]
    NoEngine { program: String, failure: Failure },
}

impl Client {
    /// Starts the program of `command` and asks it to speak UCI.
    pub fn start(command: &[String], abort: &AtomicBool) -> Result<Client, StartError> {
        let (program, arguments) = command.split_first().ok_or(StartError::NoCommand)?;
        let start = |error| StartError::Start { program: program.clone(), error };
        let mut client = Client::spawn(program, arguments).map_err(start)?;
        match client.greet(abort) {
            Ok(()) => Ok(client),
            Err(failure) => Err(StartError::NoEngine { program: program.clone(), failure }),
        }
    }

    fn spawn(program: &str, arguments: &[String]) -> std::io::Result<Client> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // In a group of its own, Ctrl-C at the terminal does not reach it and look like a crash, and whatever it
        // starts in turn can be ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        #[cfg(unix)]
        let guard = Guard::over(child.id());
        let mut input = child.stdin.take().expect("stdin is piped");
        let (said, lines) = sync_channel::<String>(UNREAD);
        thread::spawn(move || {
            for line in lines {
                if input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush()).is_err() {
                    return;
                }
            }
        });
        Ok(Client {
            heard: listen(child.stdout.take().expect("stdout is piped")),
            child,
            said,
            lines: 0,
            most_lines: LONGEST_GREETING,
            name: program.to_owned(),
            options: Vec::new(),
            #[cfg(unix)]
            _guard: guard,
        })
    }

    fn greet(&mut self, abort: &AtomicBool) -> Result<(), Failure> {
        self.send("uci")?;
        let deadline = Instant::now() + READY_TIMEOUT;
        loop {
            let (_, line) = self.hear(deadline, abort)?;
            match Said::parse(&line) {
                Said::UciOk => break,
                Said::Name(name) => self.name = name,
                Said::Option(option) => self.options.push(option),
                _ => {}
            }
        }
        self.most_lines = LONGEST_ANSWER;
        Ok(())
    }

    /// What the engine calls itself; its program, if it does not say.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The option of that name, in whatever case.
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Waits until all that it was told is done.
    pub fn ready(&mut self, abort: &AtomicBool) -> Result<(), Failure> {
        self.forget();
        self.send("isready")?;
        let deadline = Instant::now() + READY_TIMEOUT;
        loop {
            let (_, line) = self.hear(deadline, abort)?;
            if Said::parse(&line) == Said::ReadyOk {
                return Ok(());
            }
        }
    }

    pub fn send(&mut self, line: &str) -> Result<(), Failure> {
        match self.said.try_send(line.to_owned()) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(Failure::Hung),
            Err(TrySendError::Disconnected(_)) => Err(self.gone()),
        }
    }

    /// The next line and when it arrived; [`Failure::Hung`] if there is none at the deadline.
    pub fn hear(&mut self, deadline: Instant, abort: &AtomicBool) -> Result<(Instant, String), Failure> {
        match wait_for(&self.heard, deadline, abort) {
            Ok(Heard::Line(arrived, line)) if self.lines < self.most_lines => {
                self.lines += 1;
                Ok((arrived, line))
            }
            Ok(Heard::Line(..)) => Err(Failure::Rambles(format!("more than {} lines", self.most_lines))),
            Ok(Heard::TooLong) => Err(Failure::Rambles(format!("a line of more than {LONGEST_LINE} bytes"))),
            Err(Missing::Late) => Err(Failure::Hung),
            Err(Missing::Aborted) => Err(Failure::Aborted),
            Err(Missing::Gone) => Err(self.gone()),
        }
    }

    /// Before a question: what was said before it is no answer. One that never stops talking is not listened to for ever.
    pub fn forget(&mut self) {
        self.heard.try_iter().take(2 * WAITING).for_each(drop);
        self.lines = 0;
    }

    fn gone(&mut self) -> Failure {
        Failure::Crashed(match self.exit_status() {
            Some(status) => status.to_string(),
            None => "it closed its output".to_owned(),
        })
    }

    /// The output closes a moment before the process is gone.
    fn exit_status(&mut self) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + QUIT_TIMEOUT;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                status => return status.ok().flatten(),
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Failing means that it has gone already, or does not read.
        let _ = self.said.try_send("quit".to_owned());
        self.heard.try_iter().take(2 * WAITING).for_each(drop);
        if self.exit_status().is_none() {
            kill_group(&mut self.child);
            let _ = self.child.wait();
        }
    }
}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    use nix::{
        sys::signal::{Signal, killpg},
        unistd::Pid,
    };
    let group = i32::try_from(child.id()).expect("process ids fit");
    let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn shell(script: &str) -> Result<Client, StartError> {
        Client::start(&["sh", "-c", script].map(str::to_owned), &NEVER)
    }

    fn fault(script: &str) -> String {
        shell(script).unwrap_err().to_string()
    }

    /// Greets, answers once, and then does as the script says.
    fn greeted(then: &str) -> Client {
        shell(&format!("read -r uci; echo 'id name Shell'; echo uciok; {then}")).unwrap()
    }

    #[test]
    fn an_engine_says_its_name_and_its_options() {
        let client =
            shell("echo id name Deep Thought; echo option name Clear Hash type button; echo uciok; cat")
                .unwrap();
        assert_eq!(client.name(), "Deep Thought");
        assert!(client.option("clear hash").is_some() && client.option("Hash").is_none());
    }

    #[test]
    fn what_is_no_engine_is_refused_in_a_sentence() {
        let nowhere = Client::start(&["/nowhere/engine".to_owned()], &NEVER).unwrap_err().to_string();
        assert!(nowhere.starts_with("cannot start `/nowhere/engine`"), "{nowhere}");
        assert!(fault("exit 3").contains("is no UCI engine: no `uciok`: crashed (exit status: 3)"));
    }

    #[test]
    fn floods_and_endless_lines_are_faults_and_not_kept() {
        assert!(
            fault("tr '\\0' x < /dev/zero").contains("talks without end (a line of more than 65536 bytes)")
        );
        assert!(fault("yes id author Me").contains("talks without end (more than 10000 lines)"));
        assert!(fault("yes option name A type button").contains("more than 10000 lines"));
        let mut client = greeted("yes info depth 1");
        let deadline = Instant::now() + Duration::from_secs(100);
        let failure = std::iter::repeat_with(|| client.hear(deadline, &NEVER)).find_map(Result::err);
        assert_eq!(failure, Some(Failure::Rambles("more than 500000 lines".to_owned())));
    }

    #[test]
    fn an_engine_that_does_not_read_is_hung() {
        let mut client = greeted("sleep 1000");
        let long = "x".repeat(10_000);
        let failure = (0..2 * UNREAD).find_map(|_| client.send(&long).err());
        assert_eq!(failure, Some(Failure::Hung));
    }

    #[test]
    fn what_an_engine_starts_ends_with_it_also_when_we_panic() {
        let folder = std::env::temp_dir().join(format!("uci-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("pid");
        let script = format!("trap '' TERM; sleep 1000 & echo $! > '{}'; wait", file.display());
        let panicked = thread::spawn(move || {
            let _client = greeted(&script);
            while std::fs::read_to_string(&file).map_or(true, |text| !text.ends_with('\n')) {
                thread::sleep(Duration::from_millis(5));
            }
            panic!("as the test wants")
        });
        assert!(panicked.join().is_err());
        let child = std::fs::read_to_string(folder.join("pid")).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let pid = nix::unistd::Pid::from_raw(child.trim().parse().unwrap());
        let gone = || match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => stat.contains(") Z "),
            Err(_) => nix::sys::signal::kill(pid, None).is_err(),
        };
        let deadline = Instant::now() + Duration::from_secs(10);
        while !gone() {
            assert!(Instant::now() < deadline, "the engine's child {pid} is still there");
            thread::sleep(Duration::from_millis(5));
        }
    }
}
