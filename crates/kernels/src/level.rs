//! What the CPU can do, found once at run time. `TABIYA_CPU` forces a lower level, for tests and comparison.

#[cfg(target_arch = "x86_64")]
pub(crate) mod amx;
mod int8;

use std::{fmt, str::FromStr, sync::OnceLock};

pub use int8::Int8;
pub(crate) use int8::Int8Kind;

/// A way to compute that this CPU has: safe functions rely on it, so that only detection makes one above [`Level::PORTABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(Instructions);

/// Slowest first. `Bf16` and `Amx` multiply in bf16 and add in f32; the others compute in f32 throughout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Instructions {
    Portable,
    Avx2,
    Avx512,
    /// AVX-512's dot products of bf16 pairs.
    Bf16,
    /// Tiles of bf16 pairs.
    Amx,
}

const VARIABLE: &str = "TABIYA_CPU";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LevelError {
    #[error("`{0}` names no way to compute: {VARIABLE} is one of portable, avx2, avx512, bf16, int8, amx")]
    Unknown(String),
    #[error("{VARIABLE} asks for {asked}, but this CPU reaches only {best}")]
    Missing { asked: &'static str, best: Level },
    #[error("{VARIABLE} asks for {INT8}, but this CPU has no AVX-512 with VNNI")]
    NoInt8,
}

/// No level but something beside it: AVX-512's products of bytes, for the residual blocks of networks that no longer learn.
const INT8: &str = "int8";

/// The level, and whether blocks in int8 go with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    level: Level,
    int8: bool,
}

impl Level {
    /// What every CPU has.
    pub const PORTABLE: Level = Level(Instructions::Portable);
    // For matches, and for code that a level's functions call; nothing else may hand them out.
    pub(crate) const AVX2: Level = Level(Instructions::Avx2);
    pub(crate) const AVX512: Level = Level(Instructions::Avx512);
    pub(crate) const BF16: Level = Level(Instructions::Bf16);
    pub(crate) const AMX: Level = Level(Instructions::Amx);

    const EVERY: [Level; 5] = [Level::PORTABLE, Level::AVX2, Level::AVX512, Level::BF16, Level::AMX];

    /// The level to use: the CPU's highest, or the one that `TABIYA_CPU` names.
    pub fn chosen() -> Result<Level, LevelError> {
        Choice::made().map(|choice| choice.level)
    }

    /// The level to use; a `TABIYA_CPU` that makes no sense counts as unset (programs refuse it when they start).
    pub fn best() -> Level {
        Level::chosen().unwrap_or_else(|_| Level::highest())
    }

    /// The level to use where products shall not round their factors.
    pub fn exact() -> Level {
        Level::best().min(Level::AVX512)
    }

    /// Every level that this CPU has, slowest first.
    pub fn all() -> impl Iterator<Item = Level> {
        Level::EVERY.into_iter().filter(|&level| level <= Level::highest())
    }

    /// Whether products round their factors to bf16.
    pub fn rounds(self) -> bool {
        self >= Level::BF16
    }

    pub(crate) fn highest() -> Level {
        static HIGHEST: OnceLock<Level> = OnceLock::new();
        *HIGHEST.get_or_init(detect)
    }
}

/// Whether residual blocks are computed in int8 where nothing learns: as `TABIYA_CPU` says, or where the CPU can and has no tiles,
/// which multiply bf16 faster still.
pub fn int8() -> bool {
    Choice::made().or_else(|_| Choice::of(None)).is_ok_and(|choice| choice.int8)
}

impl Choice {
    /// What `TABIYA_CPU` asks for.
    fn made() -> Result<Choice, LevelError> {
        static MADE: OnceLock<Result<Choice, LevelError>> = OnceLock::new();
        MADE.get_or_init(|| Choice::of(std::env::var(VARIABLE).ok().as_deref())).clone()
    }

    fn of(asked: Option<&str>) -> Result<Choice, LevelError> {
        let best = Level::highest();
        let int8 = Int8::best().is_some();
        match asked {
            None | Some("") => Ok(Choice { level: best, int8: int8 && best < Level::AMX }),
            Some(INT8) if int8 => Ok(Choice { level: best.min(Level::BF16), int8 }),
            Some(INT8) => Err(LevelError::NoInt8),
            // A level by its name means that level throughout.
            Some(name) => name.parse().map(|level| Choice { level, int8: false }),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    use std::arch::is_x86_feature_detected as has;
    if !(has!("avx2") && has!("fma")) {
        return Level::PORTABLE;
    }
    let wide = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
    match (wide, wide && has!("avx512bf16")) {
        (_, true) if amx::available() => Level::AMX,
        (_, true) => Level::BF16,
        (true, false) => Level::AVX512,
        (false, false) => Level::AVX2,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::PORTABLE
}

impl Level {
    fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            Instructions::Avx2 => "avx2",
            Instructions::Avx512 => "avx512",
            Instructions::Bf16 => "bf16",
            Instructions::Amx => "amx",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    /// A level by its name, if this CPU has it.
    fn from_str(name: &str) -> Result<Level, LevelError> {
        let found = Level::EVERY.into_iter().find(|level| level.name() == name);
        let asked = found.ok_or_else(|| LevelError::Unknown(name.to_owned()))?;
        match Level::highest() {
            best if asked <= best => Ok(asked),
            best => Err(LevelError::Missing { asked: asked.name(), best }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_that_does_not_exist_is_refused_by_name() {
        let error = Choice::of(Some("sse9")).unwrap_err();
        assert!(error.to_string().contains("`sse9`"), "{error}");
    }

    #[test]
    fn a_level_that_the_cpu_lacks_cannot_be_had_by_its_name() {
        for level in Level::EVERY {
            assert_eq!(
                level.name().parse::<Level>().is_ok(),
                Level::all().any(|has| has == level),
                "{level}"
            );
        }
    }

    #[test]
    fn every_level_of_the_cpu_can_be_forced_and_means_no_int8() {
        for level in Level::all() {
            assert_eq!(Choice::of(Some(&level.to_string())), Ok(Choice { level, int8: false }));
        }
        assert_eq!(Choice::of(None).map(|choice| choice.level), Ok(Level::highest()));
    }

    #[test]
    fn int8_is_taken_where_it_exists_without_tiles_and_can_be_forced_where_it_exists() {
        let alone = Choice::of(None).expect("a choice");
        match Choice::of(Some(INT8)) {
            Ok(forced) => {
                assert!(forced.int8 && forced.level < Level::AMX);
                assert_eq!(alone.int8, alone.level < Level::AMX);
            }
            Err(error) => assert!(error == LevelError::NoInt8 && !alone.int8),
        }
    }
}
