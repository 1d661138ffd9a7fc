//! The positions of a puzzle in which the solver is to move.

use std::sync::Arc;

use ::data::{Game, GameResult, Puzzle, Sample};
use chess::{
    PackedMove,
    shakmaty::{EnPassantMode, Move, Position, fen::Fen},
};

/// One sample for each move of the solver, which is its `played` move. The game of the samples is the puzzle itself.
pub(super) fn positions(puzzle: &Puzzle) -> Vec<Sample> {
    let before = puzzle.moment.past.positions().next();
    let first = puzzle.moment.past.moves().next();
    let start = before.unwrap_or(&puzzle.moment.position);
    let moves: Vec<PackedMove> =
        first.into_iter().chain(puzzle.solution.iter().copied()).map(Into::into).collect();
    let shift = moves.len() - puzzle.solution.len();
    let game = Arc::new(Game {
        id: puzzle.id.clone(),
        date: None,
        white: "?".to_owned(),
        black: "?".to_owned(),
        white_title: None,
        black_title: None,
        white_elo: None,
        black_elo: None,
        control: None,
        result: GameResult::Unknown,
        termination: None,
        eco: None,
        start_fen: Some(Fen::from_position(start, EnPassantMode::Legal).to_string()),
        moves,
        clocks_cs: None,
        evals: None,
    });
    let mut moment = puzzle.moment.clone();
    let mut samples = Vec::new();
    for (at, &m) in puzzle.solution.iter().enumerate() {
        if at % 2 == 0 {
            samples.push(Sample {
                moment: moment.clone(),
                played: m,
                spent_cs: None,
                label: None,
                teacher: None,
                ply: (shift + at) as u16,
                game: Arc::clone(&game),
            });
        }
        moment.play(m);
    }
    samples
}

/// Whether a move is the solution's, or mates, which is as good.
pub(super) fn is_right(sample: &Sample, chosen: Move) -> bool {
    if chosen == sample.played {
        return true;
    }
    let mut after = sample.moment.position.clone();
    after.play_unchecked(chosen);
    after.is_checkmate()
}

#[cfg(test)]
mod tests {
    use ::data::read_puzzles;

    use super::*;

    const ROW: &str =
        "aaaaa,6k1/5ppp/8/8/8/8/r4PPP/1R4K1 b - - 0 1,a2c2 b1b8 c2c8 b8c8,900,,95,,mate short,,\n";

    #[test]
    fn the_solver_is_asked_at_each_of_his_moves_with_the_game_so_far() {
        let puzzle = read_puzzles(ROW.as_bytes()).next().unwrap().unwrap();
        let samples = positions(&puzzle);
        assert_eq!(samples.len(), 2);
        assert_eq!(samples.iter().map(|sample| sample.ply).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(samples[1].moment.uci(samples[1].played), "b8c8");
        assert!(samples[0].game.is_sound());
        assert_eq!(samples[1].moment.past.moves().len(), 3);
    }

    #[test]
    fn another_mate_is_as_good_as_the_solution() {
        let row = "b,7k/R7/8/8/8/8/1R6/K7 b - - 0 1,h8g8 b2b8,600,,,,mateIn1,,\n";
        let puzzle = read_puzzles(row.as_bytes()).next().unwrap().unwrap();
        let sample = &positions(&puzzle)[0];
        let choice = |text: &str| is_right(sample, sample.moment.parse_uci(text).unwrap());
        assert!(choice("b2b8") && !choice("b2b7") && !choice("a7a8"));
    }
}
