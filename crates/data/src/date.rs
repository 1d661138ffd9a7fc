//! Days as PGN writes them (`2023.02.01`) and as tables store them (days since 1970-01-01).

/// Days since 1970-01-01; `None` for partial dates such as `1973.??.??`.
pub(crate) fn parse(text: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(text).ok()?;
    let mut parts = text.split(['.', '-', '/']);
    let mut next = |digits: usize| parts.next().filter(|part| part.len() == digits)?.parse::<i32>().ok();
    let (year, month, day) = (next(4)?, next(2)?, next(2)?);
    let days = days_from_civil(year, month, day);
    (parts.next().is_none() && civil_from_days(days) == (year, month, day)).then_some(days)
}

pub(crate) fn write(days: i32) -> String {
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}.{month:02}.{day:02}")
}

/// Gregorian calendar; years are counted from March so that the leap day comes last.
fn days_from_civil(year: i32, month: i32, day: i32) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i32) -> (i32, i32, i32) {
    let days = days.saturating_add(719_468);
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + i32::from(month <= 2), month, day)
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
    fn partial_and_impossible_dates_are_unknown() {
        for text in ["1973.??.??", "2023.02.30", "2023.13.01", "", "2023.02", "2023.2.1", "2023.02.01.9"] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}
