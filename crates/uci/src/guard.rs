//! Ends an engine when this program itself has been killed and could not. Most engines quit when their input
//! closes, but some spin on it for ever (GNU Chess 6.2 does).

use std::process::{Child, Command, Stdio};

/// Waits until its input closes, which only the end of this program does, then ends the process group `$1`.
const SCRIPT: &str = "read -r _; kill -s KILL -- \"-$1\"";

/// A shell that outlives this program just long enough.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    /// Guards the process group of that number. No shell, no guard: the work can go on without.
    pub(crate) fn over(group: u32) -> Option<Guard> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "sh", &group.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C is meant for this program alone.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().ok().map(Guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Killed before its input closes, so that it never fires at a number that has a new owner.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
