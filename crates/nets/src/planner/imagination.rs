//! A future as it forms, step by step, for whoever draws it. The form of the JSON stands in `docs/planner.md`.

use chess::{Moment, shakmaty::Square};
use serde::Serialize;

use super::{
    Planner, PlannerConfig,
    batch::Known,
    decode::{Decoder, Dream},
    figures::chosen,
    future::{Form, Layout, MASKED, pieces},
    line::Line,
    stream::sequence,
};
use crate::{WeightError, WeightFile, loading};

/// What a planner imagines of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Imagination {
    pub fen: String,
    /// Chances of the legal moves, likeliest first.
    pub policy: Vec<Chance>,
    /// Win, draw, loss for the side to move.
    pub wdl: [f32; 3],
    /// After each step, the first of them empty but for the move that was decided on.
    pub frames: Vec<Frame>,
    /// The line as far as it is legal, in UCI notation.
    pub line: Vec<String>,
    /// Whether the imagined position before each later action of the line is what its moves lead to.
    pub exact: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chance {
    pub uci: String,
    pub chance: f32,
}

/// What is shown after a step; `null` and `?` stand for what is still hidden.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frame {
    /// Origin and target of each action.
    pub actions: Vec<Option<[String; 2]>>,
    /// How sure the network is of each action, from 0 to 1.
    pub sure: Vec<f32>,
    /// What stands on a1, b1, .. h8 before each later action, as FEN has pieces, with `.` for nothing.
    pub positions: Vec<String>,
}

/// Imagines a future of `moment`, in which there must be a legal move, with the planner in the bytes of a weight file.
pub fn imagine(bytes: &[u8], moment: &Moment, steps: usize) -> Result<Imagination, WeightError> {
    let file = WeightFile::from_bytes(bytes)?;
    if file.card.family != <Planner as crate::family::Family>::NAME {
        return Err(WeightError::Family(format!("a network `{}` imagines nothing", file.card.family)));
    }
    let config: PlannerConfig = serde_json::from_value(file.card.network.clone())
        .map_err(|error| WeightError::Network(error.to_string()))?;
    let config = PlannerConfig { steps, ..config };
    config.check().map_err(WeightError::Network)?;
    let network = loading::network::<Planner>(&config, &file.weights)?;
    Ok(imagined(&config, &network, moment))
}

fn imagined(config: &PlannerConfig, network: &Planner, moment: &Moment) -> Imagination {
    let layout = config.layout();
    let known = Known::new(layout, &[moment]);
    let encoded = network.encode(&known, None);
    let decoder = Decoder { config, layout, network, packed: None, known: &known, encoded: encoded.as_ref() };
    let decision = decoder.decide(config.steps, config.futures, &mut |_, _| {});
    let place = chosen(&known.counts, &decision.chances)[0];
    let legal = moment.legal_moves();
    let mut frames = Vec::new();
    let dream = decoder.continued(config.steps, &known.actions[place..=place], &mut |dream| {
        frames.push(frame(layout, moment, dream));
    });
    let line = Line::of(layout, &moment.position, legal[place], &dream.values[0]);
    let chance = |(&m, &chance)| Chance { uci: moment.uci(m), chance };
    let mut policy: Vec<Chance> = legal.iter().zip(&decision.chances).map(chance).collect();
    policy.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    Imagination {
        fen: moment.fen(),
        policy,
        wdl: decision.outcomes[0],
        frames,
        line: uci(moment, &line),
        exact: line.exact,
    }
}

fn uci(moment: &Moment, line: &Line) -> Vec<String> {
    let mode = moment.castling_mode();
    line.moves.iter().map(|&m| m.to_uci(mode).to_string()).collect()
}

fn frame(layout: Layout, moment: &Moment, dream: &Dream) -> Frame {
    const LETTERS: &[u8; 13] = b".PNBRQKpnbrqk";
    let us = moment.turn();
    let square = |at: usize| {
        let square = Square::new(at as u32);
        us.fold_wb(square, square.flip_vertical())
    };
    let (values, sure) = (&dream.values[0], &dream.sure[0]);
    let action = |ply: usize| {
        let action = usize::try_from(values[layout.action(ply)]).ok()?;
        let [from, to] = match layout.form {
            Form::Changes => [action % 64, action / 64],
            Form::Text => sequence::ends(action),
        };
        Some([square(from), square(to)].map(|square| square.to_string()))
    };
    let now = pieces(&moment.position, us);
    let letter = |ply: usize, at: Square| {
        let seen = usize::from(us.fold_wb(at, at.flip_vertical()));
        let own = values[layout.squares(ply)].get(seen_place(layout.form, seen)).copied();
        let letter = match (own.unwrap_or(MASKED), layout.form) {
            (MASKED, _) => return '?',
            (0, Form::Changes) => LETTERS[usize::from(now[seen])] as char,
            (changed, Form::Changes) => LETTERS[changed as usize - 1] as char,
            (letter, Form::Text) => sequence::letter(letter as u8),
        };
        match (us.is_black(), letter.is_ascii_uppercase()) {
            (true, true) => letter.to_ascii_lowercase(),
            (true, false) => letter.to_ascii_uppercase(),
            (false, _) => letter,
        }
    };
    let states = if layout.states { layout.horizon } else { 0 };
    Frame {
        actions: (0..layout.horizon).map(action).collect(),
        sure: (0..layout.horizon).map(|ply| sure[layout.action(ply)]).collect(),
        positions: (1..states)
            .map(|ply| Square::ALL.into_iter().map(|at| letter(ply, at)).collect())
            .collect(),
    }
}

/// Where a square stands among the values of a position; text begins with a8.
fn seen_place(form: Form, seen: usize) -> usize {
    match form {
        Form::Changes => seen,
        Form::Text => seen ^ 56,
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::layers::Builder;

    #[test]
    fn a_future_forms_step_by_step_until_nothing_is_hidden() {
        let config = PlannerConfig::all_tiny().remove(0);
        let device = Device::flex();
        let network = Planner::new(&config, &mut Builder::new(3, &device));
        let games = ["", "e2e4"];
        for game in games {
            let moment = Moment::default().after_uci(game.split_whitespace()).unwrap();
            let imagined = imagined(&config, &network, &moment);
            assert_eq!(imagined.frames.len(), config.steps + 1);
            let hidden = |frame: &Frame| {
                let squares = frame.positions.iter().flat_map(|position| position.chars());
                squares.filter(|&letter| letter == '?').count()
                    + frame.actions.iter().filter(|action| action.is_none()).count()
            };
            let counts: Vec<usize> = imagined.frames.iter().map(hidden).collect();
            assert_eq!(counts[0], 2 * 64 + 2);
            assert!(counts.is_sorted_by(|a, b| a > b) && counts[config.steps] == 0, "{counts:?}");
            assert_eq!(imagined.line[0], imagined.policy[0].uci);
            assert!(imagined.policy.is_sorted_by(|a, b| a.chance >= b.chance));
        }
    }
}
