//! What happens in a run, told to whoever watches and appended to `metrics.jsonl`.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

/// The file in a run's folder.
pub(crate) const FILE: &str = "metrics.jsonl";

/// `seconds` is training time since the run's first step, without pauses.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    Step {
        step: u64,
        steps: u64,
        /// The phase of the run.
        phase: &'static str,
        samples: u64,
        loss: f64,
        #[serde(serialize_with = "by_name")]
        parts: Vec<(&'static str, f64)>,
        rate: f64,
        norm: f64,
        /// Seconds of this step in which no batch was ready.
        waited: f64,
        /// Seconds in which the processes of a team added up their gradients.
        #[serde(skip_serializing_if = "is_zero")]
        exchanged: f64,
        seconds: f64,
    },
    Validation {
        step: u64,
        samples: u64,
        figures: BTreeMap<String, f64>,
        best: bool,
        seconds: f64,
    },
    Saved {
        step: u64,
        seconds: f64,
    },
}

fn by_name<S: serde::Serializer>(parts: &[(&'static str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(parts.iter().copied())
}

/// One process has nothing to exchange.
fn is_zero(seconds: &f64) -> bool {
    *seconds < 1e-6
}

impl Event {
    /// The same at a time.
    pub(super) fn at(&self, now: f64) -> Event {
        let mut event = self.clone();
        let (Event::Step { seconds, .. } | Event::Validation { seconds, .. } | Event::Saved { seconds, .. }) =
            &mut event;
        *seconds = now;
        event
    }
}

pub(super) struct Log(File);

impl Log {
    /// Opens the log to go on after `step`: what a killed run wrote beyond its last checkpoint is dropped.
    pub(super) fn open(folder: &Path, step: u64) -> io::Result<Log> {
        let path = folder.join(FILE);
        if path.exists() {
            let lines = BufReader::new(File::open(&path)?).lines();
            let kept =
                lines.map_while(Result::ok).take_while(|line| step_of(line).is_some_and(|at| at <= step));
            let text: String = kept.map(|line| line + "\n").collect();
            data::durable::write(&path, text.as_bytes())?;
        }
        Ok(Log(OpenOptions::new().create(true).append(true).open(path)?))
    }

    pub(super) fn write(&mut self, event: &Event) -> io::Result<()> {
        let line = serde_json::to_string(event).expect("plain numbers and text") + "\n";
        self.0.write_all(line.as_bytes())
    }
}

fn step_of(line: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Line {
        step: u64,
    }
    serde_json::from_str::<Line>(line).ok().map(|line| line.step)
}
