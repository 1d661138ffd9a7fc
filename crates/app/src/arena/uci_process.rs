//! A UCI engine in its own process. Whatever it does, no call here blocks for good.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        atomic::AtomicBool,
        mpsc::{Receiver, channel},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use engine::Score;

#[cfg(unix)]
use super::guard::Guard;
use super::{
    player::{Failure, Missing, Player, Question, Thought, wait_for},
    uci_words::{EngineOption, Go, Said, Spin},
};

/// Engines may have networks to load or a large table to clear.
const READY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an engine may take to obey `quit` before it is killed.
const QUIT_TIMEOUT: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub(crate) struct UciProcess {
    child: Child,
    stdin: ChildStdin,
    /// Lines with the instant at which they arrived.
    lines: Receiver<(Instant, String)>,
    /// How strong it is to be, if that can be told and the user has not.
    elo: Option<Elo>,
    #[cfg(unix)]
    _guard: Option<Guard>,
}

#[derive(Debug)]
struct Elo {
    option: EngineOption,
    spin: Spin,
    told: i64,
}

impl UciProcess {
    /// Starts the engine and sets its options: the `wanted` must exist, the `usual` are set where they do.
    pub(crate) fn start(
        command: &[String],
        usual: &[(&str, String)],
        wanted: &[(String, String)],
        abort: &AtomicBool,
    ) -> anyhow::Result<UciProcess> {
        let (program, arguments) = command.split_first().context("an engine needs a command")?;
        let mut process = spawn(program, arguments).with_context(|| format!("cannot start `{program}`"))?;
        let options = process.greet(abort).with_context(|| format!("`{program}` is no UCI engine"))?;
        let find = |name: &str| options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        for (name, value) in usual {
            let overruled = wanted.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
            if let Some(option) = find(name)
                && !overruled
            {
                process.send(&option.set(value))?;
            }
        }
        for (name, value) in wanted {
            let option = find(name).with_context(|| format!("`{program}` has no option `{name}`"))?;
            process.send(&option.set(value))?;
        }
        let chosen = wanted.iter().any(|(name, _)| name.eq_ignore_ascii_case("UCI_Elo"));
        process.elo = find("UCI_Elo").filter(|_| !chosen).and_then(|option| {
            let spin = option.spin()?;
            Some(Elo { option: option.clone(), spin, told: spin.default })
        });
        match process.ready(abort) {
            Ok(()) => Ok(process),
            Err(failure) => bail!("`{program}` does not get ready: {failure}"),
        }
    }

    fn greet(&mut self, abort: &AtomicBool) -> anyhow::Result<Vec<EngineOption>> {
        self.send("uci")?;
        let deadline = Instant::now() + READY_TIMEOUT;
        let mut options = Vec::new();
        loop {
            let line = match wait_for(&self.lines, deadline, abort) {
                Ok((_, line)) => line,
                Err(missing) => bail!("no `uciok`: {}", self.failure(missing)),
            };
            ensure!(options.len() < 10_000, "it lists options without end");
            match Said::parse(&line) {
                Said::UciOk => return Ok(options),
                Said::Option(option) => options.push(option),
                _ => {}
            }
        }
    }

    fn ready(&mut self, abort: &AtomicBool) -> Result<(), Failure> {
        self.send("isready").map_err(|error| self.crash(&error))?;
        let deadline = Instant::now() + READY_TIMEOUT;
        loop {
            match wait_for(&self.lines, deadline, abort) {
                Ok((_, line)) if Said::parse(&line) == Said::ReadyOk => return Ok(()),
                Ok(_) => {}
                Err(missing) => return Err(self.failure(missing)),
            }
        }
    }

    /// Without a rating it gets back what it started with, so that no answer depends on an earlier question.
    fn tell_rating(&mut self, rating: Option<u16>) -> std::io::Result<()> {
        let Some(elo) = &mut self.elo else { return Ok(()) };
        let Spin { default, least, most } = elo.spin;
        let wanted = rating.map_or(default, |rating| i64::from(rating).clamp(least, most));
        if wanted == elo.told {
            return Ok(());
        }
        elo.told = wanted;
        let line = elo.option.set(&wanted.to_string());
        self.send(&line)
    }

    fn send(&mut self, line: &str) -> std::io::Result<()> {
        self.stdin.write_all(format!("{line}\n").as_bytes())?;
        self.stdin.flush()
    }

    fn failure(&mut self, missing: Missing) -> Failure {
        match missing {
            Missing::Late => Failure::Hung,
            Missing::Aborted => Failure::Aborted,
            Missing::Gone => match self.exit_status() {
                Some(status) => Failure::Crashed(status.to_string()),
                None => Failure::Crashed("it closed its output".to_owned()),
            },
        }
    }

    fn crash(&mut self, error: &std::io::Error) -> Failure {
        Failure::Crashed(self.exit_status().map_or_else(|| error.to_string(), |status| status.to_string()))
    }

    /// The output closes a moment before the process is gone.
    fn exit_status(&mut self) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + QUIT_TIMEOUT;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
                status => return status.ok().flatten(),
            }
        }
    }
}

impl Player for UciProcess {
    fn new_game(&mut self, abort: &AtomicBool) -> Result<(), Failure> {
        self.send("ucinewgame").map_err(|error| self.crash(&error))?;
        self.ready(abort)
    }

    fn think(&mut self, question: &Question<'_>) -> Result<Thought, Failure> {
        // What it said before it was asked is no answer.
        while self.lines.try_recv().is_ok() {}
        self.tell_rating(question.rating).map_err(|error| self.crash(&error))?;
        let go = Go::new(question);
        self.send(&go.position).map_err(|error| self.crash(&error))?;
        let started = Instant::now();
        self.send(&go.go).map_err(|error| self.crash(&error))?;
        let (stop, give_up) = question.deadlines(started);
        let mut deadline = stop;
        let mut score: Option<Score> = None;
        loop {
            match wait_for(&self.lines, deadline, question.abort) {
                Ok((arrived, line)) => match Said::parse(&line) {
                    Said::Score(said) => score = Some(said),
                    Said::BestMove(text) => {
                        let elapsed = arrived.saturating_duration_since(started);
                        return Ok(Thought { text, elapsed, score, resigns: false });
                    }
                    _ => {}
                },
                Err(Missing::Late) if deadline == stop => {
                    self.send("stop").map_err(|error| self.crash(&error))?;
                    deadline = give_up;
                }
                Err(missing) => return Err(self.failure(missing)),
            }
        }
    }
}

impl Drop for UciProcess {
    fn drop(&mut self) {
        // Failing means that it has gone already.
        let _ = self.send("quit");
        if self.exit_status().is_none() {
            kill_group(&mut self.child);
            let _ = self.child.wait();
        }
    }
}

fn spawn(program: &str, arguments: &[String]) -> std::io::Result<UciProcess> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // In a group of its own, Ctrl-C at the terminal does not reach it and look like a crash, and whatever it
    // starts in turn can be ended with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let stdin = child.stdin.take().expect("stdin is piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        while stdout.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let arrived = Instant::now();
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if sender.send((arrived, text)).is_err() {
                break;
            }
        }
    });
    #[cfg(unix)]
    let _guard = Guard::over(child.id());
    Ok(UciProcess {
        child,
        stdin,
        lines,
        elo: None,
        #[cfg(unix)]
        _guard,
    })
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
    use chess::{Moment, shakmaty::ByColor};

    use super::*;
    use crate::arena::{pace::Pace, player::Patience};

    const SCRIPTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/engines/scripted.sh");

    fn start(game: &str, wanted: &[(String, String)]) -> anyhow::Result<UciProcess> {
        let usual = [("Hash", "1".to_owned()), ("Threads", "1".to_owned())];
        UciProcess::start(&[SCRIPTED.to_owned(), game.to_owned()], &usual, wanted, &AtomicBool::new(false))
    }

    /// Asks for the first move of a game, with `patience_ms` for everything.
    fn ask(game: &str, patience_ms: u64) -> Result<Thought, Failure> {
        let mut process = start(game, &[]).unwrap();
        process.new_game(&AtomicBool::new(false))?;
        ask_as(&mut process, None, patience_ms)
    }

    fn ask_as(process: &mut UciProcess, rating: Option<u16>, patience_ms: u64) -> Result<Thought, Failure> {
        let abort = AtomicBool::new(false);
        let short = Duration::from_millis(patience_ms);
        process.think(&Question {
            moment: &Moment::default(),
            start_fen: None,
            moves: &[],
            clocks: ByColor::default(),
            rating,
            pace: &Pace { depth: Some(1), ..Pace::default() },
            patience: &Patience { margin: short, grace: short, untimed: short },
            abort: &abort,
        })
    }

    #[test]
    fn moves_come_back_with_their_scores() {
        let thought = ask("e2e4=31", 60_000).unwrap();
        assert_eq!((thought.text.as_str(), thought.score), ("e2e4", Some(Score::Centipawns(31))));
    }

    #[test]
    fn the_rating_to_foresee_is_told_unless_the_user_chose_one() {
        let answers = |wanted: &[(String, String)]| {
            let mut process = start("rated", wanted).unwrap();
            [Some(1712), Some(9000), None].map(|rating| ask_as(&mut process, rating, 60_000).unwrap().score)
        };
        let ratings = |ratings: [i32; 3]| ratings.map(|rating| Some(Score::Centipawns(rating)));
        assert_eq!(answers(&[]), ratings([1712, 2600, 1500]));
        assert_eq!(answers(&[("uci_elo".to_owned(), "1100".to_owned())]), ratings([1100; 3]));
    }

    #[test]
    fn crashes_and_hangs_are_told_apart() {
        assert!(matches!(ask("crash", 60_000), Err(Failure::Crashed(how)) if how.contains('3')));
        assert_eq!(ask("hang", 50).unwrap_err(), Failure::Hung);
    }

    #[test]
    fn what_is_no_engine_is_refused_in_a_sentence() {
        let abort = AtomicBool::new(false);
        for (command, words) in [
            (&["/nowhere/engine"][..], "cannot start `/nowhere/engine`"),
            (&["true"], "`true` is no UCI engine"),
        ] {
            let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            let error = format!("{:#}", UciProcess::start(&command, &[], &[], &abort).unwrap_err());
            assert!(error.contains(words), "{error}");
        }
        let error = format!("{:#}", start("", &[("Elo".to_owned(), "9".to_owned())]).unwrap_err());
        assert!(error.contains("has no option `Elo`"), "{error}");
        assert!(
            start("", &[("clear hash".to_owned(), String::new())]).is_ok(),
            "names are not case sensitive"
        );
    }
}
