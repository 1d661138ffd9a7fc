//! Lines of an engine, read on a thread of their own and kept until they are asked for: only so many, and none longer than a limit.
//! An engine that says more waits until it is heard.

use std::{
    io::{BufRead, BufReader, Read},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::Instant,
};

/// Bytes of a line. The longest variations take a few thousand.
pub(crate) const LONGEST_LINE: usize = 64 * 1024;
/// Lines that may wait to be heard.
pub(crate) const WAITING: usize = 256;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// With the instant at which it arrived.
    Line(Instant, String),
    /// A line without an end; nothing is read after it.
    TooLong,
}

pub(crate) fn listen(output: impl Read + Send + 'static) -> Receiver<Heard> {
    let (sender, heard) = sync_channel(WAITING);
    thread::spawn(move || read(BufReader::new(output), &sender));
    heard
}

fn read(mut output: impl BufRead, heard: &SyncSender<Heard>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = LONGEST_LINE as u64 + 1;
        match output.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let too_long = line.len() > LONGEST_LINE && line.last() != Some(&b'\n');
        let word = match too_long {
            true => Heard::TooLong,
            false => Heard::Line(Instant::now(), String::from_utf8_lossy(&line).trim_end().to_owned()),
        };
        if heard.send(word).is_err() || too_long {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_and_one_without_an_end_is_the_last() {
        let longest = "x".repeat(LONGEST_LINE);
        let text = format!("uciok\r\nf\u{fc}r\n{longest}\n{longest}{longest}\nnever heard\n");
        let heard: Vec<Heard> = listen(std::io::Cursor::new(text)).into_iter().collect();
        let lines: Vec<&str> = heard
            .iter()
            .map(|heard| match heard {
                Heard::Line(_, line) => line.as_str(),
                Heard::TooLong => "too long",
            })
            .collect();
        assert_eq!(lines, ["uciok", "f\u{fc}r", longest.as_str(), "too long"]);
    }

    #[test]
    fn an_engine_that_is_not_heard_has_to_wait() {
        // Without an end, so that a reader without a bound would take all memory there is.
        let heard = listen(std::io::repeat(b'\n'));
        assert_eq!(heard.iter().take(10 * WAITING).count(), 10 * WAITING);
    }
}
