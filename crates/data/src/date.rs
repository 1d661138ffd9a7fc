//! Days as PGN writes them (`2023.02.01`) and as tables store them (days since 1970-01-01).

use jiff::{
    Span, Timestamp,
    civil::{self, Date},
    tz::Offset,
};

const EPOCH: Date = civil::date(1970, 1, 1);

/// Seconds since 1970.
pub fn now_s() -> u64 {
    u64::try_from(Timestamp::now().as_second()).unwrap_or(0)
}

/// The day of a time in seconds since 1970, in universal time, as PGN has it.
pub fn day_of(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    text(time.map(|time| Offset::UTC.to_datetime(time).date()))
}

/// Days since 1970-01-01; `None` for partial dates such as `1973.??.??`.
pub(crate) fn parse(text: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(text).ok()?;
    let mut parts = text.split(['.', '-', '/']);
    let mut next = |digits: usize| parts.next().filter(|part| part.len() == digits)?.parse().ok();
    let (year, month, day) = (next(4)?, next(2)?, next(2)?);
    let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    parts.next().is_none().then(|| EPOCH.until(date).ok().map(|span| span.get_days()))?
}

pub(crate) fn write(days: i32) -> String {
    text(Span::new().try_days(days).ok().and_then(|span| EPOCH.checked_add(span).ok()))
}

/// PGN's own signs where a day is none of the calendar's.
fn text(date: Option<Date>) -> String {
    date.map_or_else(|| "????.??.??".to_owned(), |date| date.strftime("%Y.%m.%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        for (text, days) in
            [("1970.01.01", 0), ("2000.02.29", 11_016), ("2024.12.31", 20_088), ("1969.12.31", -1)]
        {
            assert_eq!(parse(text.as_bytes()), Some(days), "{text}");
            assert_eq!(write(days), text);
        }
    }

    #[test]
    fn times_have_the_day_of_universal_time() {
        for (seconds, day) in [
            (0, "1970.01.01"),
            (1_709_251_199, "2024.02.29"),
            (1_709_251_200, "2024.03.01"),
            (u64::MAX, "????.??.??"),
        ] {
            assert_eq!(day_of(seconds), day);
        }
    }

    #[test]
    fn partial_and_impossible_dates_are_unknown() {
        for text in ["1973.??.??", "2023.02.30", "2023.13.01", "", "2023.02", "2023.2.1", "2023.02.01.9"] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        for days in [i32::MIN, i32::MAX] {
            assert_eq!(write(days), "????.??.??");
        }
    }
}
