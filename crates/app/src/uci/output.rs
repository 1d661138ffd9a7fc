//! The one way out: whole lines, each flushed, never two mixed.

use std::{
    fmt::Display,
    io::Write,
    process,
    sync::{Arc, Mutex, PoisonError},
};

#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<dyn Write + Send>>);

impl Output {
    pub(crate) fn new(writer: impl Write + Send + 'static) -> Output {
        Output(Arc::new(Mutex::new(writer)))
    }

    /// Writes one line, or several that must stay together. When nobody reads any more there is nothing left
    /// to do: the process ends without a word, for the reading thread may be waiting for input for ever.
    pub(crate) fn line(&self, text: impl Display) {
        let text = format!("{text}\n");
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.write_all(text.as_bytes()).and_then(|()| writer.flush()).is_err() {
            process::exit(0);
        }
    }

    /// One sentence for the person at the GUI.
    pub(crate) fn say(&self, sentence: impl Display) {
        self.line(format_args!("info string {sentence}"));
    }
}
