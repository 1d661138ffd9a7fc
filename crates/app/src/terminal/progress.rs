//! Progress on stderr, with rate and time left.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over `total` units, or a spinner where the end is unknown. Hidden where stderr is no terminal.
pub(crate) fn bar(total: Option<u64>, template: &str) -> ProgressBar {
    let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    bar.set_style(ProgressStyle::with_template(template).expect("templates are ours").progress_chars("=> "));
    bar
}

/// For scripts, on stdout. A reader that goes away half-way is an error like any other, and `main` knows it.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(writeln!(io::stdout().lock(), "{}", serde_json::to_string_pretty(value)?)?)
}

/// 1234567 as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_threes() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
