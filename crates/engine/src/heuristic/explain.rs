//! The evaluation as a table: what each component gives to each side.

use std::fmt::Write;

use chess::shakmaty::{Chess, Color, Position};

use super::{
    endgame, evaluate,
    features::GROUPS,
    phase::{FULL_SCALE, OPENING, interpolate, phase},
    squares::SIDES,
    tally::danger_cost,
    taper::Taper,
    trace,
    weights::{DANGER_WEIGHTS, WEIGHTS},
};

/// Components in the order of the table, each with its values for Black and for White.
type Rows = Vec<(&'static str, [Taper; 2])>;

/// A table of all components for both sides, in pawns, and how they become one value.
pub fn explain(position: &Chess) -> String {
    let board = position.board();
    let rows = rows(position);
    let total = rows.iter().fold([Taper::ZERO; 2], |sum, (_, sides)| [sum[0] + sides[0], sum[1] + sides[1]]);
    let net = total[1] - total[0];
    let strong = Color::from_white(net.endgame() > 0);
    let (phase, scale) = (phase(board), endgame::scale(board, strong));

    let mut text = String::new();
    let line = "-".repeat(72);
    let mut put = |row: std::fmt::Arguments<'_>| writeln!(text, "{row}").expect("writing to a string");
    put(format_args!("{:<16}{:^18}{:^18}{:^18}", "component", "White", "Black", "White - Black"));
    put(format_args!("{:<16}{}", "", format!("{:>9}{:>9}", "opening", "endgame").repeat(3)));
    put(format_args!("{line}"));
    for (name, [black, white]) in rows.into_iter().chain([("total", total)]) {
        if name == "total" {
            put(format_args!("{line}"));
        }
        let cells = [white, black, white - black]
            .map(|value| format!("{:>9.2}{:>9.2}", pawns(value.opening()), pawns(value.endgame())));
        put(format_args!("{name:<16}{}", cells.concat()));
    }
    let mean = interpolate(net, phase, scale);
    put(format_args!(""));
    put(format_args!("phase            {phase} of {OPENING} (0: endgame)"));
    put(format_args!("endgame scale    {scale} of {FULL_SCALE}"));
    put(format_args!("interpolated     {:+.2}", pawns(mean)));
    if let Some(known) = endgame::known_value(board, position.turn()) {
        put(format_args!("known ending     {:+.2} (replaces the sum)", pawns(known)));
    }
    let value = position.turn().fold_wb(1, -1) * evaluate(position);
    put(format_args!("value for White  {:+.2}", pawns(value)));
    text
}

fn pawns(centipawns: i32) -> f64 {
    f64::from(centipawns) / 100.0
}

/// Sums the counted features by component. The danger to a king is a cost of its own side.
fn rows(position: &Chess) -> Rows {
    let trace = trace(position);
    let mut rows: Rows = Vec::new();
    for group in GROUPS {
        if !rows.iter().any(|(name, _)| *name == group.component) {
            rows.push((group.component, [Taper::ZERO; 2]));
        }
    }
    let mut add = |component: &str, side: Color, value: Taper| {
        let row = rows.iter_mut().find(|(name, _)| *name == component).expect("component has a row");
        row.1[side as usize] += value;
    };
    for (side, feature, count) in trace.features {
        let group = GROUPS.iter().rfind(|group| group.start <= feature).expect("feature has a group");
        add(group.component, side, WEIGHTS[feature] * count);
    }
    for side in SIDES {
        let of_side = trace.danger.iter().filter(|entry| entry.0 == side);
        let units = of_side.map(|&(_, kind, count)| DANGER_WEIGHTS[kind] * count).sum();
        add("king safety", side, -danger_cost(units));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_is_explained_row_by_row() {
        let text = explain(&Chess::default());
        for group in GROUPS {
            assert!(text.contains(group.component), "{} is missing in\n{text}", group.component);
        }
        assert!(text.contains("phase            24 of 24"), "{text}");
    }

    #[test]
    fn components_add_up_to_the_value() {
        let position = Chess::default();
        let net = rows(&position).iter().fold(Taper::ZERO, |sum, (_, sides)| sum + sides[1] - sides[0]);
        assert_eq!(net.opening(), evaluate(&position));
    }
}
