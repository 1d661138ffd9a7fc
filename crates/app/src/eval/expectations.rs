//! Whether what a mind expects of games adds up: equals at the start have nearly equal chances, and what one side expects before its move the
//! other must not expect after it.

use std::fmt;

use ::data::Sample;
use chess::{Brain, Clocks, Moment, Ratings, Wants, shakmaty::ByColor};
use serde::Serialize;

use super::variables::VARIABLES;

/// Ratings of both players at the start.
const RATINGS: [u16; 9] = [800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400];
/// Base time and increment in seconds; nothing for games without clocks.
const CONTROLS: [Option<(u32, u32)>; 4] = [None, Some((60, 1)), Some((180, 2)), Some((600, 0))];
/// What White may expect there, whatever the rating and the clocks, and how far from 1 both sides may be together in the mean.
const FAIR: std::ops::RangeInclusive<f64> = 0.50..=0.56;
const CLOSE: f64 = 0.03;
/// Of the opening and the middlegame, so many positions are asked about twice.
const POSITIONS: usize = 2_000;
const LAST_PLY: u16 = 80;

#[derive(Debug, Serialize)]
pub(crate) struct Expectations {
    /// White's expected score between equals at the start.
    pub(crate) start: Vec<Start>,
    /// By the mover's rating.
    pub(crate) sums: Vec<Sum>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Start {
    pub(crate) rating: u16,
    /// In the order of [`CONTROLS`].
    pub(crate) white: [f64; CONTROLS.len()],
}

#[derive(Debug, Serialize)]
pub(crate) struct Sum {
    pub(crate) rating: String,
    pub(crate) positions: usize,
    /// What both sides expect together, the mover before and the other after the move that was played: 1 if it adds up.
    pub(crate) mean: f64,
    /// How far that is from 1 in the mean.
    pub(crate) distance: f64,
}

impl Expectations {
    /// Those of a mind that puts a value on positions.
    pub(crate) fn of(brain: &dyn Brain, samples: &[Sample]) -> Option<Expectations> {
        let start = RATINGS.map(|rating| {
            let moments = CONTROLS.map(|control| equals(rating, control));
            let found = expected(brain, &moments)?;
            Some(Start { rating, white: std::array::from_fn(|at| found[at]) })
        });
        Some(Expectations { start: start.into_iter().collect::<Option<_>>()?, sums: sums(brain, samples)? })
    }
}

impl Expectations {
    /// Ratings and controls under which White expects what it may, and all of them.
    fn fair(&self) -> [usize; 2] {
        let all = self.start.iter().flat_map(|start| start.white);
        [all.clone().filter(|white| FAIR.contains(white)).count(), all.count()]
    }

    /// Bands of ratings in which both sides together expect one point, and all of them.
    fn close(&self) -> [usize; 2] {
        let close = self.sums.iter().filter(|sum| (sum.mean - 1.0).abs() <= CLOSE);
        [close.count(), self.sums.len()]
    }
}

/// What the side to move expects in each.
fn expected(brain: &dyn Brain, moments: &[Moment]) -> Option<Vec<f64>> {
    let opinions = brain.judge(moments, Wants::VALUE);
    opinions.into_iter().map(|opinion| Some(f64::from(opinion.wdl?.expectation()))).collect()
}

fn equals(rating: u16, control: Option<(u32, u32)>) -> Moment {
    let clocks = control.map(|(base_s, increment_s)| {
        let both = |seconds: u32| ByColor { white: 100 * seconds, black: 100 * seconds };
        Clocks { left_cs: both(base_s), increment_cs: both(increment_s), base_cs: Some(100 * base_s) }
    });
    Moment { players: Some(Ratings::lichess(Some(rating), Some(rating))), clocks, ..Moment::default() }
}

fn sums(brain: &dyn Brain, samples: &[Sample]) -> Option<Vec<Sum>> {
    let rating = &VARIABLES[0];
    let pairs = samples.iter().filter(|sample| sample.ply < LAST_PLY).filter_map(|sample| {
        let after = after(sample);
        Some((
            rating.bin(sample)?,
            sample.moment.clone(),
            after.filter(|after| !after.legal_moves().is_empty())?,
        ))
    });
    let mut by_bin: Vec<Vec<(Moment, Moment)>> = vec![Vec::new(); rating.bins()];
    pairs.take(POSITIONS).for_each(|(bin, before, after)| by_bin[bin].push((before, after)));
    let sums = by_bin.into_iter().enumerate().filter(|(_, pairs)| !pairs.is_empty()).map(|(bin, pairs)| {
        let (before, after): (Vec<Moment>, Vec<Moment>) = pairs.into_iter().unzip();
        let (before, after) = (expected(brain, &before)?, expected(brain, &after)?);
        let both: Vec<f64> = before.iter().zip(&after).map(|(one, other)| one + other).collect();
        let mean = |of: &dyn Fn(f64) -> f64| both.iter().map(|&sum| of(sum)).sum::<f64>() / both.len() as f64;
        Some(Sum {
            rating: rating.label(bin),
            positions: both.len(),
            mean: mean(&|sum| sum),
            distance: mean(&|sum| (sum - 1.0).abs()),
        })
    });
    sums.collect()
}

/// The moment after the move that was played.
fn after(sample: &Sample) -> Option<Moment> {
    let mut after = sample.moment.clone();
    after.play(sample.played);
    let next = usize::from(sample.ply) + 1;
    after.clocks = match sample.moment.clocks {
        None => None,
        Some(_) => Some(sample.game.clocks_at(next, after.turn())?),
    };
    Some(after)
}

impl fmt::Display for Expectations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<24}", "White expects, equals")?;
        for control in CONTROLS {
            let name =
                control.map_or("no clock".to_owned(), |(base, increment)| format!("{base}+{increment}"));
            write!(f, "{name:>12}")?;
        }
        writeln!(f)?;
        for start in &self.start {
            write!(f, "{:<24}", start.rating)?;
            start.white.iter().try_for_each(|white| write!(f, "{white:>12.3}"))?;
            writeln!(f)?;
        }
        writeln!(f, "{:<24}{:>12}{:>12}{:>12}", "both sides expect", "positions", "together", "off by")?;
        for sum in &self.sums {
            writeln!(f, "{:<24}{:>12}{:>12.3}{:>12.3}", sum.rating, sum.positions, sum.mean, sum.distance)?;
        }
        let [fair, close] = [self.fair(), self.close()];
        writeln!(f, "White within {:.2} and {:.2}: {} of {}", FAIR.start(), FAIR.end(), fair[0], fair[1])?;
        writeln!(f, "together within {CLOSE} of 1: {} of {}", close[0], close[1])
    }
}

#[cfg(test)]
mod tests {
    use ::data::{Dataset, ImportOptions, Policy, Sampler, SamplerOptions, import};
    use chess::{
        Evaluated, Opinion, Traits, Wdl, search_name,
        shakmaty::{Chess, Color},
    };

    use super::*;

    const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/games.pgn");

    /// Expects 0.6 of White's games, whoever asks; or of the mover's, if it is vain.
    struct Fixed {
        traits: Traits,
        vain: bool,
    }

    impl Fixed {
        fn new(vain: bool) -> Fixed {
            let search = search_name::INSTANT;
            let [think, line, context, hand_made] = [false; 4];
            let traits = Traits {
                policy: None,
                value: true,
                think,
                line,
                context,
                bins: None,
                hand_made,
                most_effort: 0,
                search,
            };
            Fixed { traits, vain }
        }
    }

    impl Brain for Fixed {
        fn traits(&self) -> &Traits {
            &self.traits
        }

        fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
            let wdl = |moment: &Moment| {
                let wdl = Wdl::from_weights(0.6, 0.0, 0.4);
                if self.vain || moment.turn() == Color::White { wdl } else { wdl.flipped() }
            };
            moments.iter().map(|moment| Opinion { wdl: Some(wdl(moment)), ..Opinion::default() }).collect()
        }

        fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
            Evaluated::by_judging(self, positions, wants)
        }

        fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
            None
        }
    }

    #[test]
    fn a_mind_with_one_view_of_a_game_adds_up_and_a_vain_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        import(&[GAMES.into()], folder.path(), &ImportOptions::default(), |_| {}).unwrap();
        let options =
            SamplerOptions { epochs: 1, ..SamplerOptions::new(Policy::named("all").unwrap(), None, 5) };
        let dataset = Dataset::open(folder.path()).unwrap();
        let samples: Vec<Sample> = Sampler::new(&dataset, &options).flat_map(Result::unwrap).collect();
        for (vain, together) in [(false, 1.0), (true, 1.2)] {
            let found = Expectations::of(&Fixed::new(vain), &samples).unwrap();
            assert!(found.start.iter().flat_map(|start| start.white).all(|white| (white - 0.6).abs() < 1e-6));
            assert!(!found.sums.is_empty());
            assert_eq!(found.fair(), [0, RATINGS.len() * CONTROLS.len()]);
            assert_eq!(found.close(), [if vain { 0 } else { found.sums.len() }, found.sums.len()]);
            for sum in &found.sums {
                assert!((sum.mean - together).abs() < 1e-6, "{sum:?}");
                assert!((sum.distance - (together - 1.0)).abs() < 1e-6, "{sum:?}");
            }
        }
    }
}
