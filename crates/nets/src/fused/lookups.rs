//! Which rows of learned tables are looked up, for a whole batch.

use kernels::{
    bags::Bags,
    choice::{self, Lists},
    head::Moves,
    meet::Asked,
};

/// Bags of rows, one after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookups {
    pub(crate) rows: Vec<i32>,
    ends: Vec<usize>,
}

impl Lookups {
    /// Ends the bag whose rows were pushed last.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.rows.len());
    }

    /// Number of bags.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn bags(&self) -> Bags<'_> {
        Bags { rows: &self.rows, ends: &self.ends }
    }

    /// The bag of each row.
    pub(crate) fn owners(&self) -> Vec<i32> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let sizes = starts.zip(&self.ends).map(|(start, end)| end - start);
        sizes.enumerate().flat_map(|(bag, size)| std::iter::repeat_n(bag as i32, size)).collect()
    }
}

/// What was chosen from lists that lie one after another.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    /// Length of all lists up to and with each.
    pub(crate) ends: Vec<usize>,
    pub(crate) targets: ChoiceTargets,
    /// What each list counts in the sum; empty for the mean.
    pub(crate) weights: Vec<f32>,
}

#[derive(Clone, Debug)]
pub(crate) enum ChoiceTargets {
    /// The place of the choice in its list; negative where it is not known.
    Chosen(Vec<i32>),
    /// Chances that lie as the scores do; zeros where nothing is known.
    Chances(Vec<f32>),
}

impl Choices {
    pub(super) fn lists(&self) -> Lists<'_> {
        let targets = match &self.targets {
            ChoiceTargets::Chosen(chosen) => choice::Targets::Chosen(chosen),
            ChoiceTargets::Chances(chances) => choice::Targets::Chances(chances),
        };
        Lists { ends: &self.ends, targets, weights: &self.weights }
    }
}

/// The legal moves of a batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveLookups {
    /// Number of moves up to and with each board.
    pub(crate) ends: Vec<usize>,
    pub(crate) origins: Vec<u8>,
    pub(crate) targets: Vec<u8>,
    pub(crate) rows: Lookups,
}

impl MoveLookups {
    pub(crate) fn moves(&self) -> Moves<'_> {
        let MoveLookups { ends, origins, targets, rows } = self;
        Moves { ends, origins, targets, bags: rows.bags() }
    }
}

/// Squares that tokens are asked about, board after board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings {
    /// Number of pairs up to and with each board.
    pub(crate) ends: Vec<usize>,
    pub(crate) squares: Vec<i32>,
    pub(crate) tokens: Vec<i32>,
}

impl Meetings {
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked { ends: &self.ends, squares: &self.squares, tokens: &self.tokens }
    }
}
