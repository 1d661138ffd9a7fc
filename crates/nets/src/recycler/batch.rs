//! Moments made ready for the network. Fields have the names of the seed's batch, and its shapes but for `legal_moves`, of which only
//! the squares that change are kept.

use chess::{
    encoding::recycler::{self, CLASSES, View},
    shakmaty::{Chess, Color, Position},
};
use data::{Random, Sample};

use super::{RecyclerConfig, masking::Hidden, next::NextBoards};
use crate::{choice::UNKNOWN, teaching};

/// Squares that a move changes at most.
pub(super) const MOST_CHANGES: usize = 4;

#[derive(Debug)]
pub(crate) struct Batch {
    pub(super) len: usize,
    /// Seen by the side to move: [batch, 64, 21].
    pub(super) board: Vec<f32>,
    pub(super) legal_moves: LegalMoves,
    pub(super) targets: Option<Targets>,
    pub(super) draws: Draws,
}

/// The squares that each legal move changes, one list of moves after another.
#[derive(Debug, Default)]
pub(super) struct LegalMoves {
    /// Numbers of legal moves.
    pub(super) counts: Vec<usize>,
    /// Where the piece that will stand on a changed square has its logit in [batch, 64, 7]: [moves, 4].
    pub(super) places: Vec<i32>,
    /// What each of them counts, so that they are averaged: [moves, 4].
    pub(super) shares: Vec<f32>,
}

/// What is to be learned, per sample. "White" is the side to move.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// 2 for a win, 1 for a draw, 0 for a loss; [`UNKNOWN`] if the result is not known.
    pub(super) eval: Vec<i32>,
    /// What is to be learned of that: chances of win, draw, loss.
    pub(super) outcome: Vec<[f32; 3]>,
    /// The class of what stands on the squares that the played move changes, [`UNKNOWN`] elsewhere: [batch, 64].
    pub(super) move_target: Vec<i32>,
    /// Of the opponent's king.
    pub(super) king_square: Vec<u8>,
    /// Whether the move gives check.
    pub(super) check: Vec<i32>,
    /// Whether the piece on a square is attacked after the move; [`UNKNOWN`] where there is none: [batch, 64].
    pub(super) threat_target: Vec<i32>,
    /// After the move: 0 if the game goes on, 1 for stalemate, 2 for mate.
    pub(super) terminal_flag: Vec<u8>,
    /// Place of the played move among the legal ones.
    pub(super) true_index: Vec<i32>,
    /// Chances to be learned of the legal moves, one list after another; empty where no teacher was asked.
    pub(super) moves: Vec<f32>,
}

/// What chance decides about a batch in training.
#[derive(Debug, Default)]
pub(super) struct Draws {
    pub(super) passes: usize,
    /// Of dropout.
    pub(super) seed: u64,
    pub(super) hidden: Hidden,
    pub(super) next: NextBoards,
}

impl Batch {
    pub(super) fn from_samples(config: &RecyclerConfig, samples: &[Sample], random: &mut Random) -> Batch {
        let positions: Vec<&Chess> = samples.iter().map(|sample| &sample.moment.position).collect();
        let mut batch = Batch::from_positions(&positions);
        let mut targets = Targets::default();
        let taught = teaching::any_taught(samples);
        samples.iter().for_each(|sample| targets.push(sample, taught));
        let passes = config.train_passes[random.below(config.train_passes.len())];
        let hidden = match config.weights.masked > 0.0 {
            true => Hidden::draw(config.masked, &batch.board, random),
            false => Hidden::default(),
        };
        let next = match config.weights.next > 0.0 {
            true => NextBoards::draw(config.next, samples, random),
            false => NextBoards::default(),
        };
        batch.draws = Draws { passes, seed: random.bits(), hidden, next };
        batch.targets = Some(targets);
        batch
    }

    /// Every position must have a legal move.
    pub(super) fn from_positions(positions: &[&Chess]) -> Batch {
        let mut legal_moves = LegalMoves::default();
        positions.iter().enumerate().for_each(|(row, position)| legal_moves.push(row, position));
        let draws = Draws::default();
        Batch { len: positions.len(), board: boards(positions), legal_moves, targets: None, draws }
    }
}

/// Positions as their side to move sees them: [batch, 64, 21].
pub(super) fn boards(positions: &[&Chess]) -> Vec<f32> {
    let mut board = vec![0.0; positions.len() * recycler::LEN];
    let rows = board.chunks_exact_mut(recycler::LEN);
    rows.zip(positions).for_each(|(row, position)| recycler::encode(position, View::Mover, row));
    board
}

impl LegalMoves {
    /// The moves of the batch's board `row`.
    fn push(&mut self, row: usize, position: &Chess) {
        let legal = position.legal_moves();
        self.counts.push(legal.len());
        for m in legal {
            let changes = recycler::changes(position, m, View::Mover);
            for at in 0..MOST_CHANGES {
                let place = changes.get(at).map(|&(square, class)| {
                    ((row * 64 + usize::from(square)) * CLASSES + usize::from(class)) as i32
                });
                self.places.push(place.unwrap_or((row * 64 * CLASSES) as i32));
                self.shares.push(place.map_or(0.0, |_| 1.0 / changes.len() as f32));
            }
        }
    }
}

impl Targets {
    fn push(&mut self, sample: &Sample, taught: bool) {
        let (position, played) = (&sample.moment.position, sample.played);
        let legal = position.legal_moves();
        let place = legal.iter().position(|&m| m == played);
        self.true_index.push(place.map_or(UNKNOWN, |place| place as i32));
        if taught {
            teaching::push_moves(sample, &legal, &mut self.moves);
        }
        self.eval.push(result(sample, position.turn()));
        self.outcome.push(teaching::outcome(sample));
        let start = self.move_target.len();
        self.move_target.resize(start + 64, UNKNOWN);
        for (square, class) in recycler::changes(position, played, View::Mover) {
            self.move_target[start + usize::from(square)] = class.into();
        }
        self.threat_target.resize(start + 64, UNKNOWN);
        for threat in recycler::threats(position, played, View::Mover) {
            self.threat_target[start + usize::from(threat.square)] = threat.attacked.into();
        }
        let (king, check) = recycler::check(position, played, View::Mover);
        self.king_square.push(king.into());
        self.check.push(check.into());
        let mut after = position.clone();
        after.play_unchecked(played);
        let over = after.legal_moves().is_empty();
        self.terminal_flag.push(if over { 1 + u8::from(check) } else { 0 });
    }
}

fn result(sample: &Sample, us: Color) -> i32 {
    use data::GameResult::{Black, Draw, Unknown, White};
    match sample.game.result {
        Draw => 1,
        Unknown => UNKNOWN,
        White => us.fold_wb(2, 0),
        Black => us.fold_wb(0, 2),
    }
}
