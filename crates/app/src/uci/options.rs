//! Every option in one list. A new one is a line in `OPTIONS` and a field in `Preferences`.

use std::{env, fmt, num::IntErrorKind, path::PathBuf};

use engine::{AUTO, Guard, HumanSettings, SEARCHES};

use super::{
    concern::{
        Concern::{self, Everybody, Family, Levels, Timing},
        DRAWN, PUCT, TABLE, TABLEBASES, THREADS, TREE,
    },
    preferences::Preferences,
};
use crate::minds::MINDS;

pub(crate) struct UciOption {
    pub(crate) name: &'static str,
    pub(crate) concern: Concern,
    kind: Kind,
}

enum Kind {
    Spin {
        default: i64,
        min: i64,
        max: i64,
        set: fn(&mut Preferences, usize),
    },
    Check {
        default: bool,
        set: fn(&mut Preferences, bool),
    },
    /// The first choice is the default.
    Combo {
        choices: &'static [&'static str],
        set: fn(&mut Preferences, &str),
    },
    /// Empty by default. What is wrong with the text comes back as a sentence.
    Text {
        set: fn(&mut Preferences, &str) -> Option<String>,
    },
    Button {
        press: fn(&mut Preferences),
    },
}

use Kind::{Button, Check, Combo, Spin, Text};

/// Largest table in MiB: a terabyte is more than any machine here will have, and still no overflow.
const MAX_HASH_MB: i64 = 1 << 20;

/// The search that suits the mind, and all others by name.
const SEARCH_CHOICES: [&str; SEARCHES.len() + 1] = {
    let mut choices = [AUTO; SEARCHES.len() + 1];
    let mut at = 0;
    while at < SEARCHES.len() {
        choices[at + 1] = SEARCHES[at].name;
        at += 1;
    }
    choices
};

/// The ones that most people set come first, as GUIs show them in this order.
#[rustfmt::skip]
pub(crate) const OPTIONS: &[UciOption] = &[
    option("Brain", Everybody, Combo { choices: MINDS, set: |p, value| p.names.mind = value.to_owned() }),
    option("UCI_LimitStrength", Everybody, Check { default: false, set: |p, on| p.limit_strength = on }),
    option("UCI_Elo", Levels, Spin { default: 1500, min: HumanSettings::LEAST_RATING as i64, max: HumanSettings::MOST_RATING as i64, set: |p, value| p.human().rating = value as u16 }),
    option("HumanTiming", Timing, Check { default: false, set: |p, on| p.human().timing = on }),
    option("BlunderGuard", DRAWN, Combo { choices: &["Human", "Off", "Strict"], set: |p, value| p.human().guard = guard(value) }),
    option("OpponentElo", Levels, Spin { default: 0, min: 0, max: 4000, set: |p, value| p.human().opponent = (value > 0).then_some(value as u16) }),
    option("Search", Everybody, Combo { choices: &SEARCH_CHOICES, set: |p, value| p.names.search = value.to_owned() }),
    option("Weights", Everybody, Text { set: set_weights }),
    option("Hash", TABLE, Spin { default: 64, min: 1, max: MAX_HASH_MB, set: |p, value| p.settings.hash_mb = value }),
    option("Threads", THREADS, Spin { default: 1, min: 1, max: 1024, set: |p, value| p.settings.threads = value }),
    option("MultiPV", Everybody, Spin { default: 1, min: 1, max: 256, set: |p, value| p.settings.multipv = value }),
    // Nothing to set: with `go ponder` the GUI says in time when to ponder.
    option("Ponder", Everybody, Check { default: false, set: |_, _| {} }),
    option("Move Overhead", Everybody, Spin { default: engine::MOVE_OVERHEAD_MS as i64, min: 0, max: 5000, set: |p, value| p.settings.move_overhead_ms = value as u64 }),
    option("SyzygyPath", TABLEBASES, Text { set: set_syzygy }),
    option("UCI_Chess960", Everybody, Check { default: false, set: |p, on| p.chess960 = on }),
    option("UCI_ShowWDL", Everybody, Check { default: false, set: |p, on| p.show_wdl = on }),
    option("UCI_Opponent", Everybody, Text { set: set_opponent }),
    option("Clear Hash", Everybody, Button { press: |p| p.clearings += 1 }),
    option("Temperature", DRAWN, Spin { default: 100, min: 0, max: 300, set: |p, value| p.human().temperature = value as f32 / 100.0 }),
    option("TopP", DRAWN, Spin { default: 95, min: 1, max: 100, set: |p, value| p.human().top_p = value as f32 / 100.0 }),
    option("Seed", DRAWN, Spin { default: 0, min: 0, max: i32::MAX as i64, set: |p, value| p.human().seed = (value > 0).then_some(value as u64) }),
    option("Tree", TREE, Spin { default: 256, min: 1, max: MAX_HASH_MB, set: |p, value| p.settings.tree_mb = value }),
    option("Batch", TREE, Spin { default: 256, min: 1, max: 16384, set: |p, value| p.settings.batch = value }),
    option("CPuct", PUCT, Spin { default: 200, min: 0, max: 10_000, set: |p, value| p.settings.puct.c_puct = value as f32 / 100.0 }),
    option("FpuReduction", PUCT, Spin { default: 20, min: 0, max: 200, set: |p, value| p.settings.puct.fpu_reduction = value as f32 / 100.0 }),
    option("PolicyTemperature", PUCT, Spin { default: 100, min: 1, max: 1000, set: |p, value| p.settings.puct.policy_temperature = value as f32 / 100.0 }),
    option("Passes", RECYCLER, Spin { default: 0, min: 0, max: 64, set: |p, value| p.names.passes.most = value }),
    option("UntilSettled", RECYCLER, Check { default: false, set: |p, on| p.names.passes.until_settled = on }),
    option("Steps", PLANNER, Spin { default: 0, min: 0, max: 1024, set: |p, value| p.names.passes.steps = value }),
    option("Futures", PLANNER, Spin { default: 0, min: 0, max: 1024, set: |p, value| p.names.passes.futures = value }),
];

/// The one family that can think over its own output.
const RECYCLER: Concern = Family("recycler");
/// The one family that imagines futures.
const PLANNER: Concern = Family("planner");

const fn option(name: &'static str, concern: Concern, kind: Kind) -> UciOption {
    UciOption { name, concern, kind }
}

/// The option of that name, without regard to case, as the protocol asks, and to spaces, as GUIs differ in them.
pub(crate) fn find(name: &str) -> Option<&'static UciOption> {
    OPTIONS.iter().find(|option| same_name(option.name, name))
}

/// Several folders are parted as in the system's own paths: `:`, or `;` on Windows.
fn set_syzygy(preferences: &mut Preferences, value: &str) -> Option<String> {
    let folders = env::split_paths(value).filter(|path| !path.as_os_str().is_empty());
    preferences.settings.syzygy = folders.collect();
    let missing = preferences.settings.syzygy.iter().find(|path| !path.is_dir())?;
    Some(format!("SyzygyPath names `{}`, which is no folder", missing.display()))
}

fn set_weights(preferences: &mut Preferences, value: &str) -> Option<String> {
    let path = (!value.is_empty()).then(|| PathBuf::from(value));
    if let Some(missing) = path.as_ref().filter(|path| !path.exists()) {
        return Some(format!("Weights names `{}`, which is no file", missing.display()));
    }
    preferences.names.weights = path;
    None
}

/// `title rating kind name`, such as `GM 2800 human Magnus Carlsen` or `none none computer Shredder`.
fn set_opponent(preferences: &mut Preferences, value: &str) -> Option<String> {
    if let Some(rating) = value.split_whitespace().nth(1).and_then(|word| word.parse().ok()) {
        preferences.human().opponent = Some(rating);
    }
    None
}

fn guard(name: &str) -> Guard {
    match name {
        "Off" => Guard::Off,
        "Strict" => Guard::Strict,
        _ => Guard::Human,
    }
}

fn same_name(a: &str, b: &str) -> bool {
    let letters = |name: &str| name.replace(' ', "").to_ascii_lowercase();
    letters(a) == letters(b)
}

impl UciOption {
    /// Carries out `setoption`. The answer is a sentence for the user if something is not as he asked; without
    /// a change if that could not be helped.
    pub(crate) fn set(&self, preferences: &mut Preferences, value: Option<&str>) -> Option<String> {
        let name = self.name;
        match (&self.kind, value) {
            (Button { press }, _) => press(preferences),
            (Text { set }, value) => {
                return set(preferences, value.filter(|&value| value != "<empty>").unwrap_or(""));
            }
            (_, None | Some("")) => return Some(format!("{name} needs a value")),
            (&Spin { min, max, set, .. }, Some(value)) => {
                let Some(wanted) = number(value) else {
                    return Some(format!("{name} takes a whole number, not `{value}`"));
                };
                let clamped = wanted.clamp(min, max);
                set(preferences, usize::try_from(clamped).unwrap_or(0));
                if clamped != wanted {
                    return Some(format!("{name} goes from {min} to {max}, so {clamped} it is"));
                }
            }
            (Check { set, .. }, Some(value)) => match value.to_ascii_lowercase().as_str() {
                "true" => set(preferences, true),
                "false" => set(preferences, false),
                _ => return Some(format!("{name} is true or false, not `{value}`")),
            },
            (Combo { choices, set }, Some(value)) => {
                let Some(choice) = choices.iter().find(|choice| choice.eq_ignore_ascii_case(value)) else {
                    return Some(format!("{name} has no `{value}`, only {}", choices.join(", ")));
                };
                set(preferences, choice);
            }
        }
        None
    }
}

/// A whole number; one that is too large for us is as large as can be.
fn number(text: &str) -> Option<i64> {
    text.parse().map_or_else(
        |error: std::num::ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => Some(i64::MAX),
            IntErrorKind::NegOverflow => Some(i64::MIN),
            _ => None,
        },
        Some,
    )
}

/// An option as the answer to `uci` lists it.
pub(crate) struct Listed<'a> {
    pub(crate) option: &'a UciOption,
    /// What it stands at without a word of the GUI, where that is not the usual value.
    pub(crate) default: Option<&'a str>,
}

impl UciOption {
    /// What it stands at if nobody sets it; nothing for a button.
    pub(crate) fn default(&self) -> Option<String> {
        match &self.kind {
            Spin { default, .. } => Some(default.to_string()),
            Check { default, .. } => Some(default.to_string()),
            Combo { choices, .. } => Some(choices[0].to_owned()),
            Text { .. } => Some("<empty>".to_owned()),
            Button { .. } => None,
        }
    }
}

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UciOption { name, kind, .. } = self.option;
        let kind_name = match kind {
            Spin { .. } => "spin",
            Check { .. } => "check",
            Combo { .. } => "combo",
            Text { .. } => "string",
            Button { .. } => "button",
        };
        write!(f, "option name {name} type {kind_name}")?;
        if let Some(usual) = self.option.default() {
            write!(f, " default {}", self.default.unwrap_or(&usual))?;
        }
        match kind {
            Spin { min, max, .. } => write!(f, " min {min} max {max}"),
            Combo { choices, .. } => choices.iter().try_for_each(|choice| write!(f, " var {choice}")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::Settings;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn setting_every_default_changes_nothing() {
        let mut preferences = Preferences::default();
        for option in OPTIONS {
            if let Some(value) = option.default() {
                assert_eq!(option.set(&mut preferences, Some(&value)), None, "{}", option.name);
            }
        }
        assert_eq!(preferences, Preferences::default());
    }

    #[test]
    fn the_manual_lists_every_option() {
        let manual = include_str!("../../../../docs/uci.md");
        for option in OPTIONS {
            assert!(manual.contains(&format!("| `{}` |", option.name)), "{}", option.name);
        }
    }

    #[test]
    fn names_differ_by_more_than_case_and_spaces() {
        for (index, option) in OPTIONS.iter().enumerate() {
            assert!(
                OPTIONS[index + 1..].iter().all(|other| !same_name(option.name, other.name)),
                "{}",
                option.name
            );
        }
    }

    #[test]
    fn values_are_taken_clamped_or_refused() {
        let with = |name: &str, value: Option<&str>| {
            let mut preferences = Preferences::default();
            let sentence = preferences.set(name, value);
            (preferences.settings, sentence.unwrap_or_default())
        };
        let default = Settings::default();
        for (name, value, settings, sentence) in [
            ("hash", Some("16"), Settings { hash_mb: 16, ..default.clone() }, ""),
            (
                "Hash",
                Some("0"),
                Settings { hash_mb: 1, ..default.clone() },
                "Hash goes from 1 to 1048576, so 1 it is",
            ),
            ("Hash", Some("lots"), default.clone(), "Hash takes a whole number, not `lots`"),
            ("Hash", None, default.clone(), "Hash needs a value"),
            ("MoveOverhead", Some("100"), Settings { move_overhead_ms: 100, ..default.clone() }, ""),
            ("UCI_ShowWDL", Some("maybe"), default.clone(), "UCI_ShowWDL is true or false, not `maybe`"),
            ("Contempt", Some("5"), default, "there is no option `Contempt`"),
        ] {
            assert_eq!(with(name, value), (settings, sentence.to_owned()), "{name} {value:?}");
        }
    }

    proptest! {
        #[test]
        fn no_value_is_too_strange_to_refuse(index in 0..OPTIONS.len(), value in proptest::option::of(".*")) {
            let mut preferences = Preferences::default();
            preferences.set(OPTIONS[index].name, value.as_deref());
            let settings = preferences.settings;
            prop_assert!(settings.hash_mb >= 1 && settings.threads >= 1 && settings.multipv >= 1);
        }
    }
}
