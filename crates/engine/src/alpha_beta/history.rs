//! What earlier branches taught about moves and about the evaluation: the memory behind move ordering.

use chess::shakmaty::{Color, Move, Role, Square};

use super::node::Node;

/// Bound of every history value.
pub(crate) const HISTORY_MAX: i32 = 16_384;

/// A piece and the square that it moves to, as one number below 768.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u16);

const STEPS: usize = 12 * 64;

impl Step {
    pub(crate) fn new(side: Color, m: Move) -> Step {
        let piece = 6 * (side as u16) + m.role() as u16 - 1;
        Step(64 * piece + m.to() as u16)
    }

    fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The square that the piece moved to; for castling the square of the rook.
    pub(crate) fn target(self) -> Square {
        Square::new(u32::from(self.0 % 64))
    }
}

/// A cell moves towards the bound by a share of what is left, so that it never leaves the range.
fn nudge(cell: &mut i16, bonus: i32) {
    let old = i32::from(*cell);
    *cell = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

/// Values of moves learned from cutoffs.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// Quiet moves by side, origin and target.
    quiet: Box<[[[i16; 64]; 64]; 2]>,
    /// Quiet moves by what was played before: earlier step, then this step.
    following: Box<[[i16; STEPS]]>,
    /// Captures by step and captured role.
    capture: Box<[[i16; 6]; STEPS]>,
    /// What refuted the opponent's last step.
    counter: Box<[Option<Move>; STEPS]>,
}

/// Plies back at which a move is looked up as a follow-up.
pub(crate) const FOLLOWED: [usize; 3] = [1, 2, 4];

impl Default for History {
    fn default() -> History {
        History {
            quiet: Box::new([[[0; 64]; 64]; 2]),
            following: vec![[0; STEPS]; STEPS].into(),
            capture: Box::new([[0; 6]; STEPS]),
            counter: Box::new([None; STEPS]),
        }
    }
}

impl History {
    /// Forgets everything, in the same memory.
    pub(crate) fn clear(&mut self) {
        self.quiet.as_flattened_mut().as_flattened_mut().fill(0);
        self.following.as_flattened_mut().fill(0);
        self.capture.as_flattened_mut().fill(0);
        self.counter.fill(None);
    }

    /// How well a quiet move did before; `earlier` are the steps one, two and four plies back.
    #[inline]
    pub(crate) fn quiet(&self, side: Color, m: Move, earlier: [Option<Step>; 3]) -> i32 {
        let step = Step::new(side, m);
        let mut value = i32::from(self.quiet[side as usize][origin(m)][m.to().to_usize()]);
        for before in earlier.into_iter().flatten() {
            value += i32::from(self.following[before.index()][step.index()]);
        }
        value
    }

    pub(crate) fn learn_quiet(&mut self, side: Color, m: Move, earlier: [Option<Step>; 3], bonus: i32) {
        let step = Step::new(side, m);
        nudge(&mut self.quiet[side as usize][origin(m)][m.to().to_usize()], bonus);
        for before in earlier.into_iter().flatten() {
            nudge(&mut self.following[before.index()][step.index()], bonus);
        }
    }

    #[inline]
    pub(crate) fn capture(&self, side: Color, m: Move) -> i32 {
        i32::from(self.capture[Step::new(side, m).index()][captured(m)])
    }

    pub(crate) fn learn_capture(&mut self, side: Color, m: Move, bonus: i32) {
        nudge(&mut self.capture[Step::new(side, m).index()][captured(m)], bonus);
    }

    pub(crate) fn counter(&self, before: Option<Step>) -> Option<Move> {
        self.counter[before?.index()]
    }

    pub(crate) fn learn_counter(&mut self, before: Option<Step>, m: Move) {
        if let Some(before) = before {
            self.counter[before.index()] = Some(m);
        }
    }
}

fn origin(m: Move) -> usize {
    m.from().map_or(0, |square| square.to_usize())
}

fn captured(m: Move) -> usize {
    m.capture().unwrap_or(Role::Pawn) as usize - 1
}

/// By how much the search found the evaluation to be wrong in positions like this one.
#[derive(Clone, Debug)]
pub(crate) struct Correction {
    pawns: Box<[[i16; Correction::SIZE]; 2]>,
    pieces: [Box<[[i16; Correction::SIZE]; 2]>; 2],
}

impl Default for Correction {
    fn default() -> Correction {
        let empty = || Box::new([[0; Correction::SIZE]; 2]);
        Correction { pawns: empty(), pieces: [empty(), empty()] }
    }
}

impl Correction {
    const SIZE: usize = 16_384;
    /// Cells hold this many units to the centipawn.
    const GRAIN: i32 = 256;
    const LIMIT: i32 = 64 * Correction::GRAIN;

    pub(crate) fn clear(&mut self) {
        for side in [&mut self.pawns].into_iter().chain(&mut self.pieces) {
            side.as_flattened_mut().fill(0);
        }
    }

    /// Centipawns to add to the evaluation.
    pub(crate) fn of(&self, node: &Node) -> i32 {
        let turn = node.turn() as usize;
        let pawns = i32::from(self.pawns[turn][slot(node.pawn_key())]);
        let pieces: i32 = [Color::Black, Color::White]
            .into_iter()
            .map(|side| i32::from(self.pieces[side as usize][turn][slot(node.piece_key(side))]))
            .sum();
        (2 * pawns + pieces) / (3 * Correction::GRAIN)
    }

    /// Learns from a search result that differs from the evaluation by `error` centipawns.
    pub(crate) fn learn(&mut self, node: &Node, error: i32, depth: i32) {
        let turn = node.turn() as usize;
        let weight = (depth + 1).min(16);
        let update = |cell: &mut i16| {
            let target = error.clamp(-256, 256) * Correction::GRAIN;
            let mixed = (i32::from(*cell) * (256 - weight) + target * weight) / 256;
            *cell = mixed.clamp(-Correction::LIMIT, Correction::LIMIT) as i16;
        };
        update(&mut self.pawns[turn][slot(node.pawn_key())]);
        for side in [Color::Black, Color::White] {
            update(&mut self.pieces[side as usize][turn][slot(node.piece_key(side))]);
        }
    }
}

fn slot(key: u64) -> usize {
    (key >> 50) as usize
}

#[cfg(test)]
mod tests {
    use chess::Moment;

    use super::*;

    #[test]
    fn values_stay_within_the_bound_and_forget_slowly() {
        let mut history = History::default();
        let m = Moment::default().legal_moves()[0];
        for _ in 0..1000 {
            history.learn_quiet(Color::White, m, [None; 3], 1500);
        }
        let high = history.quiet(Color::White, m, [None; 3]);
        assert!(high > HISTORY_MAX * 9 / 10 && high <= HISTORY_MAX, "{high}");
        history.learn_quiet(Color::White, m, [None; 3], -1500);
        assert!(history.quiet(Color::White, m, [None; 3]) < high);
        assert_eq!(history.quiet(Color::Black, m, [None; 3]), 0);
    }

    #[test]
    fn corrections_move_towards_the_error_and_stay_bounded() {
        let mut correction = Correction::default();
        let node = Node::new(&Moment::default().position);
        for _ in 0..500 {
            correction.learn(&node, 40, 10);
        }
        let learned = correction.of(&node);
        assert!((35..=60).contains(&learned), "{learned}");
    }
}
