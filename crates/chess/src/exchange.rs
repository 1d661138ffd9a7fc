//! Static exchange evaluation: what a capture wins when both sides take back with their cheapest piece.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role, Square, attacks};

/// Values for exchanges, in centipawns; the king is worth more than everything together.
const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 20_000];

pub fn exchange_value(role: Role) -> i32 {
    VALUES[role as usize - 1]
}

/// What the side to move has more than the other.
pub fn balance(chess: &Chess) -> i32 {
    let board = chess.board();
    let (us, them) = (chess.us(), chess.them());
    let side =
        |role: Role| (board.by_role(role) & us).count() as i32 - (board.by_role(role) & them).count() as i32;
    let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    roles.into_iter().map(|role| exchange_value(role) * side(role)).sum()
}

/// Whether the exchange that `m` begins wins at least `threshold` centipawns.
pub fn wins_exchange(chess: &Chess, m: Move, threshold: i32) -> bool {
    let (from, to, role) = match m {
        Move::Normal { from, to, role, .. } => (from, to, role),
        Move::EnPassant { from, to } => (from, to, Role::Pawn),
        // Castling exchanges nothing.
        _ => return threshold <= 0,
    };
    let board = chess.board();
    let promoted = m.promotion().map_or(0, |to| exchange_value(to) - exchange_value(Role::Pawn));
    let mut balance = m.capture().map_or(0, exchange_value) + promoted - threshold;
    if balance < 0 {
        return false;
    }
    // The worst case: the piece that moved is lost for nothing.
    balance -= exchange_value(m.promotion().unwrap_or(role));
    if balance >= 0 {
        return true;
    }
    let mut occupied = board.occupied().without(from).with(to);
    if let Move::EnPassant { .. } = m {
        occupied.discard(Square::from_coords(to.file(), from.rank()));
    }
    exchange(board, to, occupied, !chess.turn(), balance)
}

/// Pieces of `color` that the other side would win something by taking, if it were its turn. Kings are never among them, and pins
/// are not seen.
pub fn en_prise(board: &Board, color: Color) -> Bitboard {
    let pieces = board.by_color(color) & !board.kings();
    pieces.into_iter().filter(|&square| is_en_prise(board, color, square)).collect()
}

fn is_en_prise(board: &Board, color: Color, square: Square) -> bool {
    /// Less is an even exchange of knight and bishop.
    const SOMETHING: i32 = 50;
    let occupied = board.occupied();
    let Some((taker, role)) = cheapest(board, board.attacks_to(square, !color, occupied)) else {
        return false;
    };
    let value = board.role_at(square).map_or(0, exchange_value);
    let balance = value - SOMETHING - exchange_value(role);
    balance >= 0 || exchange(board, square, occupied.without(taker), color, balance)
}

/// Plays the exchange out; `balance` is what the side that began has gained if its last piece is taken.
fn exchange(board: &Board, to: Square, mut occupied: Bitboard, mut turn: Color, mut balance: i32) -> bool {
    let beginner = !turn;
    let diagonal = board.bishops_and_queens();
    let straight = board.rooks_and_queens();
    let mut attackers = attackers_of(board, to, occupied);
    loop {
        attackers &= occupied;
        let ours = attackers & board.by_color(turn);
        let Some((square, role)) = cheapest(board, ours) else { break };
        // A king may not take what is still defended.
        if role == Role::King && (attackers & board.by_color(!turn)).any() {
            break;
        }
        occupied.discard(square);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
        turn = !turn;
        balance = -balance - 1 - exchange_value(role);
        if balance >= 0 {
            break;
        }
    }
    // Whoever could not go on has lost the exchange.
    turn != beginner
}

fn attackers_of(board: &Board, to: Square, occupied: Bitboard) -> Bitboard {
    board.attacks_to(to, Color::White, occupied) | board.attacks_to(to, Color::Black, occupied)
}

fn cheapest(board: &Board, ours: Bitboard) -> Option<(Square, Role)> {
    if ours.is_empty() {
        return None;
    }
    Role::ALL.into_iter().find_map(|role| (ours & board.by_role(role)).first().map(|square| (square, role)))
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::Moment;

    #[test]
    fn exchanges_come_out_as_on_the_board() {
        let table = [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
            ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
            ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", -400),
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),
            ("8/8/4k3/3p4/8/8/8/K2R4 w - - 0 1", "d1d5", -400),
            ("4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1", "d5c6", 100),
            ("8/2kP4/8/8/8/8/8/4K3 w - - 0 1", "d7d8q", -100),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 850),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", 0),
        ];
        for (fen, text, value) in table {
            let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
            let m = moment.parse_uci(text).unwrap();
            assert!(wins_exchange(&moment.position, m, value), "{fen} {text} wins {value}");
            assert!(!wins_exchange(&moment.position, m, value + 1), "{fen} {text} wins no more than {value}");
        }
    }
}
