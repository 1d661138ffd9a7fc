//! What the CPU can do, found once at run time. `TABIYA_CPU` forces a lower level, for tests and comparison.

use std::{fmt, str::FromStr, sync::OnceLock};

/// Ways to compute, slowest first. `Bf16` and `Amx` multiply in bf16 and add in f32; the others compute in f32 throughout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
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
    #[error("`{0}` names no way to compute: {VARIABLE} is one of portable, avx2, avx512, bf16, amx")]
    Unknown(String),
    #[error("{VARIABLE} asks for {asked}, but this CPU reaches only {best}")]
    Missing { asked: Level, best: Level },
}

impl Level {
    const ALL: [Level; 5] = [Level::Portable, Level::Avx2, Level::Avx512, Level::Bf16, Level::Amx];

    /// The level to use: the CPU's highest, or the one that `TABIYA_CPU` names.
    pub fn chosen() -> Result<Level, LevelError> {
        static CHOSEN: OnceLock<Result<Level, LevelError>> = OnceLock::new();
        CHOSEN.get_or_init(|| Level::choose(std::env::var(VARIABLE).ok().as_deref())).clone()
    }

    /// The level to use; a `TABIYA_CPU` that makes no sense counts as unset (programs refuse it when they start).
    pub fn best() -> Level {
        Level::chosen().unwrap_or_else(|_| Level::highest())
    }

    /// Every level that this CPU has, slowest first.
    pub fn all() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|&level| level <= Level::highest())
    }

    /// Whether products round their factors to bf16.
    pub fn rounds(self) -> bool {
        self >= Level::Bf16
    }

    fn choose(asked: Option<&str>) -> Result<Level, LevelError> {
        let best = Level::highest();
        match asked {
            None | Some("") => Ok(best),
            Some(name) => {
                let asked = name.parse()?;
                if asked <= best { Ok(asked) } else { Err(LevelError::Missing { asked, best }) }
            }
        }
    }

    fn highest() -> Level {
        static HIGHEST: OnceLock<Level> = OnceLock::new();
        *HIGHEST.get_or_init(detect)
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    use std::arch::is_x86_feature_detected as has;
    if !(has!("avx2") && has!("fma")) {
        return Level::Portable;
    }
    let wide = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
    match (wide, wide && has!("avx512bf16")) {
        (_, true) if crate::tiles::available() => Level::Amx,
        (_, true) => Level::Bf16,
        (true, false) => Level::Avx512,
        (false, false) => Level::Avx2,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Portable
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
            Level::Bf16 => "bf16",
            Level::Amx => "amx",
        })
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(name: &str) -> Result<Level, LevelError> {
        let found = Level::ALL.into_iter().find(|level| level.to_string() == name);
        found.ok_or_else(|| LevelError::Unknown(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_that_does_not_exist_is_refused_by_name() {
        let error = Level::choose(Some("sse9")).unwrap_err();
        assert!(error.to_string().contains("`sse9`"), "{error}");
    }

    #[test]
    fn every_level_of_the_cpu_can_be_forced() {
        for level in Level::all() {
            assert_eq!(Level::choose(Some(&level.to_string())), Ok(level));
        }
        assert_eq!(Level::choose(None), Ok(Level::highest()));
    }
}
