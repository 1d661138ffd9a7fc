//! Moments made ready for the network: encoded, with their legal moves side by side, and what is to be learned of them.

use std::sync::Arc;

use chess::{
    Moment,
    encoding::{hc3, swift},
    shakmaty::{Color, Move},
    vocabulary::geometric,
};
use data::Sample;

use super::{Architecture, HumanConfig, RatingForm, THINK_EDGES};
use crate::{
    choice::UNKNOWN,
    fused::{Lookups, MoveLookups},
    teaching,
};

/// Maia's positions: not the first moves, and not in time trouble.
const MAIA_FIRST_PLY: u16 = 10;
const MAIA_LEAST_CLOCK_CS: u32 = 3000;

#[derive(Debug)]
pub(crate) struct Batch {
    pub(super) len: usize,
    /// Numbers of legal moves.
    pub(super) counts: Vec<usize>,
    pub(super) input: Input,
    pub(super) targets: Option<Targets>,
}

#[derive(Debug)]
pub(super) enum Input {
    Hc3(Hc3Input),
    Swift(SwiftInput),
}

#[derive(Debug, Default)]
pub(super) struct Hc3Input {
    /// [batch, 64, channels].
    pub(super) planes: Vec<f32>,
    /// Words of the legal moves, one list after another.
    pub(super) words: Vec<i32>,
}

/// Rows to look up; see [`swift`].
#[derive(Debug, Default)]
pub(crate) struct SwiftInput {
    /// A bag per square: of the table of places, followed by those of tensions and of marks.
    pub(super) squares: Arc<Lookups>,
    /// A bag per moment.
    pub(super) parts: Arc<Lookups>,
    /// [batch, numbers].
    pub(super) whole: Vec<f32>,
    /// The bags are of the table of kinds, followed by those of paths, of threats, of consequences and of bearings.
    pub(crate) moves: Arc<MoveLookups>,
}

/// What is to be learned, per sample.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// Place of the played move among the legal ones.
    pub(super) played: Vec<i32>,
    /// Chances to be learned of the legal moves, one list after another; empty where no teacher was asked.
    pub(super) moves: Vec<f32>,
    /// How the game ended: win, draw, loss for the side to move, from 0.
    pub(super) result: Vec<i32>,
    /// What is to be learned of that, by chances.
    pub(super) outcome: Vec<[f32; 3]>,
    pub(super) think: Vec<i32>,
    pub(super) origin: Vec<i32>,
    pub(super) target: Vec<i32>,
    /// Whether the sample counts under Maia's convention.
    pub(super) maia: Vec<bool>,
    /// Words of all legal moves for the objective of legality, one list after another.
    pub(super) legal: Vec<i32>,
}

impl Batch {
    pub(super) fn from_samples(config: &HumanConfig, samples: &[Sample]) -> Batch {
        let moments: Vec<_> = samples.iter().map(|sample| &sample.moment).collect();
        let mut batch = Batch::from_moments(config, &moments);
        let mut targets = Targets::default();
        let taught = teaching::any_taught(samples);
        samples.iter().for_each(|sample| targets.push(config, sample, taught));
        batch.targets = Some(targets);
        batch
    }

    /// Every moment must have a legal move.
    pub(super) fn from_moments(config: &HumanConfig, moments: &[&Moment]) -> Batch {
        let counts: Vec<usize> = moments.iter().map(|moment| moment.legal_moves().len()).collect();
        let input = match config.architecture {
            Architecture::Hc3 => Input::Hc3(Hc3Input::new(config.hc3.ratings, moments)),
            Architecture::Swift => Input::Swift(SwiftInput::new(moments)),
        };
        Batch { len: moments.len(), counts, input, targets: None }
    }
}

impl Hc3Input {
    fn new(ratings: RatingForm, moments: &[&Moment]) -> Hc3Input {
        let mut input = Hc3Input { planes: vec![0.0; moments.len() * hc3::LEN], words: Vec::new() };
        let mut sparse = hc3::Sparse::default();
        for (moment, planes) in moments.iter().zip(input.planes.chunks_exact_mut(hc3::LEN)) {
            match ratings {
                RatingForm::Bins => hc3::encode(moment, &mut sparse),
                RatingForm::Smooth => hc3::encode_smooth(moment, &mut sparse),
            }
            sparse.spread(planes);
            let word = |m: Move| geometric::index(moment.turn(), m) as i32;
            input.words.extend(moment.legal_moves().into_iter().map(word));
        }
        input
    }
}

impl SwiftInput {
    /// Every moment must have a legal move.
    pub(crate) fn new(moments: &[&Moment]) -> SwiftInput {
        let (mut squares, mut parts, mut moves) =
            (Lookups::default(), Lookups::default(), MoveLookups::default());
        let mut whole = Vec::with_capacity(moments.len() * swift::WHOLE);
        let mut encoded = swift::Swift::default();
        for moment in moments {
            swift::encode(moment, &mut encoded);
            push_squares(&mut encoded, &mut squares);
            parts.rows.extend(encoded.parts.iter().map(|&part| i32::from(part)));
            parts.end();
            whole.extend(encoded.whole);
            moves.push(&encoded);
        }
        SwiftInput { squares: squares.into(), parts: parts.into(), whole, moves: moves.into() }
    }
}

fn push_squares(encoded: &mut swift::Swift, squares: &mut Lookups) {
    const TENSIONS: i32 = swift::PLACES as i32;
    const MARKS: i32 = TENSIONS + swift::TENSIONS as i32;
    encoded.marks.sort_unstable();
    let mut marks = encoded.marks.iter().map(|&mark| usize::from(mark)).peekable();
    for square in 0..64 {
        squares.rows.push(encoded.places[square].into());
        squares.rows.push(TENSIONS + i32::from(encoded.tensions[square]));
        while let Some(mark) = marks.next_if(|mark| mark / swift::MARKS == square) {
            squares.rows.push(MARKS + (mark % swift::MARKS) as i32);
        }
        squares.end();
    }
}

impl Targets {
    fn push(&mut self, config: &HumanConfig, sample: &Sample, taught: bool) {
        let moment = &sample.moment;
        let us = moment.turn();
        let legal = moment.legal_moves();
        let seen =
            |square: chess::shakmaty::Square| i32::from(u8::from(us.fold_wb(square, square.flip_vertical())));
        let ends = |m: Move| (seen(m.from().unwrap_or(m.to())), seen(m.to()));
        let place = legal.iter().position(|&m| m == sample.played);
        self.played.push(place.map_or(UNKNOWN, |place| place as i32));
        if taught {
            teaching::push_moves(sample, &legal, &mut self.moves);
        }
        let (origin, target) = match teaching::game_counts(sample) {
            true => ends(sample.played),
            false => (UNKNOWN, UNKNOWN),
        };
        self.origin.push(origin);
        self.target.push(target);
        self.result.push(result(sample, us));
        self.outcome.push(teaching::outcome(sample));
        // Nobody's clock runs during his first move.
        let spent = sample.spent_cs.filter(|_| sample.ply >= 2);
        self.think.push(spent.map_or(UNKNOWN, |spent| think_bin(spent as f32 / 100.0)));
        let clock = moment.clocks.map(|clocks| *clocks.left_cs.get(us));
        let calm = clock.is_none_or(|left| left >= MAIA_LEAST_CLOCK_CS);
        self.maia.push(sample.ply >= MAIA_FIRST_PLY && calm);
        if config.weights.legal > 0.0 {
            self.legal.extend(legal.iter().map(|&m| match config.architecture {
                Architecture::Hc3 => geometric::index(us, m) as i32,
                Architecture::Swift => ends(m).0 * 64 + ends(m).1,
            }));
        }
    }
}

fn result(sample: &Sample, us: Color) -> i32 {
    use data::GameResult::{Black, Draw, Unknown, White};
    match sample.game.result {
        Draw => 1,
        Unknown => UNKNOWN,
        White => us.fold_wb(0, 2),
        Black => us.fold_wb(2, 0),
    }
}

fn think_bin(seconds: f32) -> i32 {
    THINK_EDGES.iter().filter(|&&edge| seconds >= edge).count() as i32
}
