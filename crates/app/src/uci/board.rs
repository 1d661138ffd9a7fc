//! `d`: the board for a person at a terminal.

use std::fmt::Write;

use chess::{
    Moment,
    shakmaty::{File, Position, Rank, Square},
};

pub(crate) fn draw(moment: &Moment) -> String {
    let board = moment.position.board();
    let mut text = String::from("\n");
    for rank in Rank::ALL.into_iter().rev() {
        let _ = write!(text, " {rank} ");
        for file in File::ALL {
            let piece = board.piece_at(Square::from_coords(file, rank)).map_or('.', |piece| piece.char());
            let _ = write!(text, " {piece}");
        }
        text.push('\n');
    }
    let moves: Vec<String> = moment.legal_moves().iter().map(|&m| moment.uci(m)).collect();
    let _ = write!(text, "    a b c d e f g h\n\nFen: {}\n", moment.fen());
    let _ = write!(text, "Key: {:016X}\nMoves: {}", moment.past.key(), moves.join(" "));
    if let Some(ending) = moment.ending() {
        let _ = write!(text, "\nEnd: {ending}");
    }
    text
}
