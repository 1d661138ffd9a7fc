//! Random games for property tests.

use proptest::{prelude::*, sample::Index};
use shakmaty::{CastlingMode, Chess, Color, File, Move, Piece, Role, Setup, Square};

use crate::Moment;

/// The moments of a random game of at most `plies` plies, the start included.
pub(crate) fn random_game(plies: usize) -> impl Strategy<Value = Vec<Moment>> {
    choices(plies).prop_map(|choices| play(Moment::default(), choices))
}

/// As [`random_game`], from a Chess960 start that lacks some of its pieces, so that castling comes early.
pub(crate) fn random_chess960_game(plies: usize) -> impl Strategy<Value = Vec<Moment>> {
    (random_back_rank(), any::<u64>(), choices(plies))
        .prop_map(|(roles, removed, choices)| play(Moment::new(chess960_start(roles, removed)), choices))
}

/// As [`random_game`], but players often take their last move back, so that positions recur.
pub(crate) fn random_shuffle(plies: usize) -> impl Strategy<Value = Vec<Moment>> {
    let steps = proptest::collection::vec((any::<Index>(), any::<bool>()), 1..=plies);
    (random_back_rank(), steps).prop_map(|(roles, steps)| {
        let mut game = vec![Moment::new(chess960_start(roles, u64::MAX))];
        for (choice, goes_back) in steps {
            let moment = game.last().expect("a game has a start");
            let back = if goes_back { way_back(moment) } else { None };
            let moves = moment.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mut next = moment.clone();
            next.play(back.unwrap_or_else(|| moves[choice.index(moves.len())]));
            game.push(next);
        }
        game
    })
}

/// The move that undoes what the side to move did last.
fn way_back(moment: &Moment) -> Option<Move> {
    let last = moment.past.moves().nth(1)?;
    moment.legal_moves().into_iter().find(|m| {
        m.role() != Role::Pawn && m.from() == Some(last.to()) && Some(m.to()) == last.from() && !m.is_castle()
    })
}

fn choices(plies: usize) -> impl Strategy<Value = Vec<Index>> {
    proptest::collection::vec(any::<Index>(), 1..=plies)
}

fn play(start: Moment, choices: Vec<Index>) -> Vec<Moment> {
    let mut game = vec![start];
    for choice in choices {
        let moment = game.last().expect("a game has a start");
        let moves = moment.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mut next = moment.clone();
        next.play(moves[choice.index(moves.len())]);
        game.push(next);
    }
    game
}

/// A back rank of Chess960: the king between the rooks, bishops on both colours.
fn random_back_rank() -> impl Strategy<Value = Vec<Role>> {
    use Role::{Bishop, Knight, Queen, Rook};
    Just(vec![Rook, Rook, Rook, Queen, Bishop, Bishop, Knight, Knight])
        .prop_shuffle()
        .prop_filter("bishops on both colours", |roles| {
            files_of(Bishop, roles).iter().sum::<usize>() % 2 == 1
        })
        .prop_map(|mut roles| {
            let middle = files_of(Rook, &roles)[1];
            roles[middle] = Role::King;
            roles
        })
}

fn files_of(role: Role, roles: &[Role]) -> Vec<usize> {
    (0..roles.len()).filter(|&file| roles[file] == role).collect()
}

/// Takes the officers off the squares in `removed`, but kings and rooks stay, and pawns, lest somebody be in check.
fn chess960_start(roles: Vec<Role>, removed: u64) -> Chess {
    let mut setup = Setup::initial();
    setup.castling_rights = shakmaty::Bitboard::EMPTY;
    for (file, role) in File::ALL.into_iter().zip(roles) {
        for color in Color::ALL {
            let square = Square::from_coords(file, color.backrank());
            let stays = matches!(role, Role::King | Role::Rook) || removed >> square.to_u32() & 1 == 0;
            setup.board.discard_piece_at(square);
            if stays {
                setup.board.set_piece_at(square, Piece { color, role });
            }
            if role == Role::Rook {
                setup.castling_rights.add(square);
            }
        }
    }
    setup.position(CastlingMode::Chess960).expect("a legal start")
}

/// The same game with the colours swapped: Black begins from the mirrored board.
pub(crate) fn mirrored(game: &[Moment]) -> Moment {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";
    let mut moment = Moment::from_fen(start, CastlingMode::Standard).unwrap();
    for pair in game.windows(2) {
        let m = pair[1].past.moves().next().unwrap();
        let flip = |square: Square| square.flip_vertical();
        moment.play(match m {
            Move::Castle { king, rook } => Move::Castle { king: flip(king), rook: flip(rook) },
            Move::EnPassant { from, to } => Move::EnPassant { from: flip(from), to: flip(to) },
            Move::Normal { role, from, capture, to, promotion } => {
                Move::Normal { role, from: flip(from), capture, to: flip(to), promotion }
            }
            Move::Put { .. } => unreachable!("no drops in chess"),
        });
    }
    moment
}
