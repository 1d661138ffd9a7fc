//! What goes to stderr besides progress: one line for each event, `tabiya: what happened`.

use std::{env, fmt, io};

use anyhow::{Context, anyhow};
use tracing::{Event, Subscriber, level_filters::LevelFilter};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

/// `off`, `error`, `warn`, `info` (as usual), `debug` or `trace`.
const LEVEL: &str = "TABIYA_LOG";

/// Once, at the start of the program.
pub(crate) fn start() -> anyhow::Result<()> {
    let level = match env::var(LEVEL) {
        Ok(text) => text.parse().with_context(|| format!("{LEVEL}={text} is no level of messages"))?,
        Err(_) => LevelFilter::INFO,
    };
    let subscriber =
        tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).event_format(Plain).finish();
    tracing::subscriber::set_global_default(subscriber).map_err(|error| anyhow!("messages: {error}"))
}

struct Plain;

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut to: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        write!(to, "tabiya: ")?;
        context.format_fields(to.by_ref(), event)?;
        writeln!(to)
    }
}
