//! Endings that general rules misjudge: known wins, known draws, and leads that are hard to convert.

use chess::shakmaty::{Bitboard, Board, Color, File, Rank, Role, Square};

use super::{kpk, phase::FULL_SCALE, squares::relative};

/// Added to the value of an ending that is won by force, below any mate score.
const KNOWN_WIN: i32 = 3000;

/// Rough piece values to tell who leads: pawns do not count here.
const PIECE: [i32; 6] = [0, 3, 3, 5, 9, 0];

/// White's value minus Black's where the ending is known exactly enough, else `None`.
pub(super) fn known_value(board: &Board, turn: Color) -> Option<i32> {
    let lone =
        [Color::White, Color::Black].into_iter().find(|&side| !board.by_color(side).more_than_one())?;
    let strong = !lone;
    let value = against_lone_king(board, strong, turn)?;
    Some(strong.fold_wb(value, -value))
}

/// Value for the strong side against a bare king.
fn against_lone_king(board: &Board, strong: Color, turn: Color) -> Option<i32> {
    let count = |role| (board.by_role(role) & board.by_color(strong)).count() as i32;
    let [pawns, knights, bishops, rooks, queens] =
        [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen].map(count);
    let king = board.king_of(strong)?;
    let victim = board.king_of(!strong)?;
    if pawns == 1 && knights + bishops + rooks + queens == 0 {
        let pawn = (board.pawns() & board.by_color(strong)).first()?;
        return Some(pawn_ending(strong, king, victim, pawn, turn));
    }
    if pawns > 0 {
        return None;
    }
    let together = 10 * (7 - king.distance(victim) as i32);
    if queens == 0 && rooks == 0 && knights == 1 && bishops == 1 {
        let bishop = (board.bishops() & board.by_color(strong)).first()?;
        return Some(KNOWN_WIN + together + 30 * (7 - corner_distance(victim, bishop.is_light())));
    }
    let bishops_of_both =
        (board.bishops() & Bitboard::LIGHT_SQUARES).any() && (board.bishops() & Bitboard::DARK_SQUARES).any();
    let can_mate = queens > 0 || rooks > 0 || bishops_of_both || (knights > 0 && bishops > 0) || knights > 2;
    let material = 900 * queens + 500 * rooks + 300 * (bishops + knights);
    can_mate.then(|| KNOWN_WIN + material + together + 20 * edge_nearness(victim))
}

/// King and pawn against king, from the solved table.
fn pawn_ending(strong: Color, king: Square, victim: Square, pawn: Square, turn: Color) -> i32 {
    let [king, victim, pawn] = [king, victim, pawn].map(|square| relative(strong, square));
    if !kpk::is_won(king, victim, pawn, turn == strong) {
        return 0;
    }
    KNOWN_WIN / 2 + 40 * pawn.rank().to_u32() as i32 + 4 * (7 - king.distance(pawn) as i32)
}

/// 0 in the centre to 6 in a corner.
fn edge_nearness(square: Square) -> i32 {
    let off = |coordinate: u32| coordinate.max(7 - coordinate) as i32 - 4;
    off(square.file().to_u32()) + off(square.rank().to_u32())
}

/// Steps to the nearer corner of the given colour, along ranks and files.
fn corner_distance(square: Square, light: bool) -> i32 {
    let corners = if light { [Square::A8, Square::H1] } else { [Square::A1, Square::H8] };
    let steps = |corner: Square| {
        (square.file().distance(corner.file()) + square.rank().distance(corner.rank())) as i32 / 2
    };
    corners.into_iter().map(steps).min().unwrap_or(0)
}

/// How much of an endgame lead of `strong` counts, out of [`FULL_SCALE`].
pub(super) fn scale(board: &Board, strong: Color) -> i32 {
    let ours = board.by_color(strong);
    let pawns = (board.pawns() & ours).count() as i32;
    let [mine, theirs] = [strong, !strong].map(|side| pieces(board, side));
    if pawns == 0 && mine - theirs <= 3 {
        return if mine < 5 {
            0
        } else if theirs <= 3 {
            4
        } else {
            14
        };
    }
    if wrong_bishop(board, strong) {
        return 0;
    }
    if opposite_bishops(board) {
        let only_bishops = mine == 3 && theirs == 3;
        return if only_bishops { 16 + 4 * pawns } else { 34 + 4 * pawns }.min(FULL_SCALE);
    }
    // Queen against rook and such endings with few pawns are hard to win; more pawns, more chances.
    (40 + 5 * pawns).min(FULL_SCALE)
}

fn pieces(board: &Board, side: Color) -> i32 {
    let ours = board.by_color(side);
    [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .map(|role| PIECE[role as usize - 1] * (board.by_role(role) & ours).count() as i32)
        .sum()
}

fn opposite_bishops(board: &Board) -> bool {
    let white = board.bishops() & board.white();
    let black = board.bishops() & board.black();
    match (white.single_square(), black.single_square()) {
        (Some(white), Some(black)) => white.is_light() != black.is_light(),
        _ => false,
    }
}

/// Rook pawns whose queening square the only bishop does not control, with the enemy king in that corner.
fn wrong_bishop(board: &Board, strong: Color) -> bool {
    let ours = board.by_color(strong);
    let pawns = board.pawns() & ours;
    let others = ours & !board.pawns() & !board.kings();
    let Some(bishop) = (board.bishops() & ours).single_square() else { return false };
    if others.more_than_one() || pawns.is_empty() {
        return false;
    }
    [File::A, File::H].into_iter().any(|file| {
        let corner = Square::from_coords(file, strong.fold_wb(Rank::Eighth, Rank::First));
        pawns.is_subset(Bitboard::from_file(file))
            && bishop.is_light() != corner.is_light()
            && board.king_of(!strong).is_some_and(|king| king.distance(corner) <= 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        fen.parse().unwrap()
    }

    #[test]
    fn bishop_and_knight_drive_to_the_right_corner() {
        // A bishop on a light square needs a light corner: a8 or h1.
        let value = |victim: &str| known_value(&board(victim), Color::White).unwrap();
        let right = value("k7/8/1K6/8/8/8/8/4NB2");
        let wrong = value("8/8/8/8/8/1K6/8/k3NB2");
        assert!(right > wrong && wrong > KNOWN_WIN, "{right} {wrong}");
        let black = known_value(&board("K7/8/1k6/8/8/8/8/4nb2"), Color::White).unwrap();
        assert_eq!(black, -right);
    }

    #[test]
    fn a_lone_king_is_driven_to_the_edge() {
        let value = |fen: &str| known_value(&board(fen), Color::White).unwrap();
        assert!(value("k7/8/1K6/8/8/8/8/7R") > value("8/8/1K6/3k4/8/8/8/7R"));
        assert_eq!(
            known_value(&board("k7/8/1K6/8/8/8/8/6NN"), Color::White),
            None,
            "two knights do not mate"
        );
    }

    #[test]
    fn drawn_endings_scale_to_nothing() {
        assert_eq!(scale(&board("8/8/4k3/8/8/3KN3/8/8"), Color::White), 0);
        assert_eq!(scale(&board("k7/8/P7/8/8/3KB3/8/8"), Color::White), 0, "dark bishop, light corner");
        assert!(scale(&board("k7/8/P7/8/8/3K1B2/8/8"), Color::White) > 32);
        let opposite = scale(&board("4k3/4b3/8/8/3P4/3K4/4B3/8"), Color::White);
        let same = scale(&board("4k3/3b4/8/8/3P4/3K4/4B3/8"), Color::White);
        assert!(opposite < same);
    }
}
