//! Ending games that both sides have finished in their minds.

use std::str::FromStr;

use anyhow::{Context, ensure};
use chess::shakmaty::Color;
use engine::Score;

use super::record::{End, Outcome};

/// When the arena ends a game that the rules have not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Adjudication {
    pub(crate) resign: Option<Resign>,
    pub(crate) draw: Option<Draw>,
    /// A game of this many plies, the opening included, is drawn.
    pub(crate) max_plies: usize,
}

/// Won, when both engines have put it at `cp` or more for the same side over this many moves of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resign {
    cp: u32,
    moves: usize,
}

/// Drawn, when both engines have put it within `cp` over this many moves of each and move `after` is past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draw {
    cp: u32,
    moves: usize,
    after: usize,
}

impl Adjudication {
    /// `scores` are those of the game so far for White, the last move's last; `plies` counts the opening too.
    pub(crate) fn judge(&self, scores: &[Option<Score>], plies: usize) -> Option<(Outcome, End)> {
        if let Some(resign) = self.resign {
            let last = last_moves(scores, resign.moves);
            let won = |color: Color| {
                last.is_some_and(|scores| scores.iter().all(|&score| resign.sees_won(score, color)))
            };
            if let Some(winner) = Color::ALL.into_iter().find(|&color| won(color)) {
                return Some((Outcome::won_by(winner), End::Resigned));
            }
        }
        if let Some(draw) = self.draw
            && plies >= 2 * draw.after
            && last_moves(scores, draw.moves)
                .is_some_and(|scores| scores.iter().all(|&score| draw.sees_level(score)))
        {
            return Some((Outcome::Draw, End::AgreedDrawn));
        }
        (plies >= self.max_plies).then_some((Outcome::Draw, End::TooLong))
    }
}

/// The scores of the last `moves` moves of both sides, if there were so many.
fn last_moves(scores: &[Option<Score>], moves: usize) -> Option<&[Option<Score>]> {
    scores.len().checked_sub(2 * moves).map(|start| &scores[start..])
}

impl Resign {
    fn sees_won(&self, score: Option<Score>, color: Color) -> bool {
        let bar = Score::Centipawns(i32::try_from(self.cp).unwrap_or(i32::MAX));
        score.is_some_and(|score| color.fold_wb(score, score.flipped()) >= bar)
    }
}

impl Draw {
    fn sees_level(&self, score: Option<Score>) -> bool {
        matches!(score, Some(Score::Centipawns(cp)) if cp.unsigned_abs() <= self.cp)
    }
}

impl FromStr for Resign {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Resign> {
        let [cp, moves] =
            numbers(text).with_context(|| format!("`{text}` is not CP,MOVES such as 1000,4"))?;
        ensure!(cp > 0 && moves > 0, "`{text}` would end every game at once");
        Ok(Resign { cp, moves: moves as usize })
    }
}

impl FromStr for Draw {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Draw> {
        let [cp, moves, after] =
            numbers(text).with_context(|| format!("`{text}` is not CP,MOVES,AFTER such as 10,8,40"))?;
        ensure!(moves > 0, "`{text}` would end every game at once");
        Ok(Draw { cp, moves: moves as usize, after: after as usize })
    }
}

fn numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Judgement = Option<(Outcome, End)>;

    fn judge(scores: &[i32], plies: usize) -> Judgement {
        let rules = Adjudication {
            resign: Some("600,2".parse().unwrap()),
            draw: Some("10,2,20".parse().unwrap()),
            max_plies: 100,
        };
        let scores: Vec<_> = scores.iter().map(|&cp| Some(Score::Centipawns(cp))).collect();
        rules.judge(&scores, plies)
    }

    #[test]
    fn games_end_when_both_sides_agree() {
        let table: &[(&[i32], usize, Judgement)] = &[
            (&[700, 600, 800, 900], 30, Some((Outcome::WhiteWins, End::Resigned))),
            (&[-700, -600, -800, -900], 30, Some((Outcome::BlackWins, End::Resigned))),
            (&[700, 599, 800, 900], 30, None),
            (&[700, -700, 800, -900], 30, None),
            (&[600, 800, 900], 30, None),
            (&[50, 10, -10, 0, 5], 40, Some((Outcome::Draw, End::AgreedDrawn))),
            (&[50, 10, -10, 0, 5], 39, None),
            (&[50, 10, -11, 0, 5], 40, None),
            (&[50], 100, Some((Outcome::Draw, End::TooLong))),
        ];
        for (scores, plies, expected) in table {
            assert_eq!(judge(scores, *plies), *expected, "{scores:?} after {plies}");
        }
    }

    #[test]
    fn a_mate_counts_as_won_and_silence_as_nothing() {
        let rules = Adjudication { resign: Some("600,1".parse().unwrap()), draw: None, max_plies: 999 };
        let mated = Some(Score::mated(3));
        assert_eq!(rules.judge(&[mated, mated], 40), Some((Outcome::BlackWins, End::Resigned)));
        assert_eq!(rules.judge(&[mated, None], 40), None);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "5", "5,", "a,b", "1,2,3", "0,4", "100,0", "-5,3"] {
            assert!(text.parse::<Resign>().is_err(), "{text}");
        }
        for text in ["", "5,6", "1,0,40", "a,b,c"] {
            assert!(text.parse::<Draw>().is_err(), "{text}");
        }
    }
}
