//! What accuracy is told by: rating, speed, clock, ply and material.

use ::data::{Sample, Speed};
use chess::shakmaty::{ByRole, Color, Position};

pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Where one bin ends and the next begins; values at an edge belong to the next.
    edges: &'static [i64],
    of: fn(&Sample) -> Option<i64>,
}

pub(crate) const VARIABLES: &[Variable] = &[
    Variable {
        name: "rating",
        title: "rating of the player",
        edges: &[800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600],
        of: |sample| sample.moment.players?.of(sample.moment.turn()).map(i64::from),
    },
    Variable {
        name: "speed",
        title: "time control",
        edges: &[1, 2, 3, 4, 5],
        of: |sample| Some(Speed::of(sample.game.control) as i64),
    },
    Variable {
        name: "clock",
        title: "seconds on the clock",
        edges: &[5, 10, 30, 60, 120, 300, 600],
        of: clock_s,
    },
    Variable {
        name: "ply",
        title: "ply",
        edges: &[10, 20, 30, 40, 60, 80, 100],
        of: |sample| Some(sample.ply.into()),
    },
    Variable {
        name: "material",
        title: "pieces on the board",
        edges: &[8, 12, 16, 20, 24, 28, 32],
        of: |sample| Some(sample.moment.position.board().occupied().count() as i64),
    },
    Variable {
        name: "difference",
        title: "material of the player less the opponent's",
        edges: &[-8, -4, -1, 0, 1, 2, 5, 9],
        of: |sample| {
            let us = sample.moment.turn();
            Some(material(sample, us) - material(sample, !us))
        },
    },
];

impl Variable {
    /// The bin of a sample; `None` where the value is unknown.
    pub(crate) fn bin(&self, sample: &Sample) -> Option<usize> {
        let value = (self.of)(sample)?;
        Some(self.edges.iter().filter(|&&edge| value >= edge).count())
    }

    pub(crate) fn bins(&self) -> usize {
        self.edges.len() + 1
    }

    pub(crate) fn label(&self, bin: usize) -> String {
        if self.name == "speed" {
            return Speed::ALL[bin].name().to_owned();
        }
        match (bin.checked_sub(1).map(|at| self.edges[at]), self.edges.get(bin)) {
            (None, Some(end)) => format!("< {end}"),
            (Some(start), Some(end)) if start + 1 == *end => start.to_string(),
            (Some(start), Some(end)) => format!("{start} to {}", end - 1),
            (start, None) => format!(">= {}", start.unwrap_or(0)),
        }
    }
}

/// Whole seconds on the mover's clock before his move.
pub(crate) fn clock_s(sample: &Sample) -> Option<i64> {
    let clocks = sample.moment.clocks?;
    Some(i64::from(*clocks.left_cs.get(sample.moment.turn())) / 100)
}

/// In pawns: 1, 3, 3, 5, 9.
fn material(sample: &Sample, color: Color) -> i64 {
    let ByRole { pawn, knight, bishop, rook, queen, .. } =
        sample.moment.position.board().material_side(color);
    i64::from(pawn) + 3 * i64::from(knight + bishop) + 5 * i64::from(rook) + 9 * i64::from(queen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_labels_of_their_own() {
        for variable in VARIABLES {
            let mut labels: Vec<String> = (0..variable.bins()).map(|bin| variable.label(bin)).collect();
            let bins = labels.len();
            labels.dedup();
            assert_eq!(labels.len(), bins, "{}: {labels:?}", variable.name);
            assert!(variable.edges.is_sorted(), "{}", variable.name);
        }
        assert_eq!(VARIABLES[0].label(1), "800 to 999");
        assert_eq!(VARIABLES[1].label(2), "blitz");
    }
}
