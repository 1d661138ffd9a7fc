//! 773 bits, seen by either player whoever's turn it is: pieces, whether it is his turn, castling rights. For the comparator, which compares
//! positions for one player.

use shakmaty::{Bitboard, CastlingSide, Chess, Color, Piece, Position, Role};

/// Length of the dense form: 64 squares for each kind of piece, ours before theirs, then the turn, then castling.
pub const LEN: usize = PIECES + 1 + 4;
/// Places from 0 to here are squares.
pub const PIECES: usize = 12 * 64;

const TURN: usize = PIECES;
const CASTLING: usize = TURN + 1;

/// Words of 64 bits that hold all of them.
pub const WORDS: usize = LEN.div_ceil(64);

/// The bits as `player` sees the position: bit `place % 64` of word `place / 64`.
pub fn bits(position: &Chess, player: Color) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    let board = position.board();
    for (word, (color, role)) in words.iter_mut().zip(pieces(player)) {
        let squares = board.by_piece(Piece { color, role });
        *word = player.fold_wb(squares, squares.flip_vertical()).0;
    }
    let mut set = |place: usize| words[place / 64] |= 1 << (place % 64);
    if position.turn() == player {
        set(TURN);
    }
    for (at, color) in [player, !player].into_iter().enumerate() {
        for (side, place) in [(CastlingSide::KingSide, 0), (CastlingSide::QueenSide, 1)] {
            if position.castles().has(color, side) {
                set(CASTLING + 2 * at + place);
            }
        }
    }
    words
}

fn pieces(player: Color) -> impl Iterator<Item = (Color, Role)> {
    [player, !player].into_iter().flat_map(|color| Role::ALL.map(|role| (color, role)))
}

/// The places that hold a 1, rising.
pub fn places(words: [u64; WORDS]) -> impl Iterator<Item = u16> {
    let of_word = |(at, word): (usize, u64)| {
        Bitboard(word).into_iter().map(move |square| (64 * at) as u16 + u16::from(u8::from(square)))
    };
    words.into_iter().enumerate().flat_map(of_word)
}

/// Fills `out` with the places that hold a 1 as `player` sees the position.
pub fn encode(position: &Chess, player: Color, out: &mut Vec<u16>) {
    out.clear();
    out.extend(places(bits(position, player)));
}

/// The place on a board whose files are mirrored. Castling rights have none.
pub fn mirrored(place: u16) -> u16 {
    const FILES: u16 = 7;
    if usize::from(place) < TURN { place ^ FILES } else { place }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{
        Moment,
        testing::{mirrored as mirrored_game, random_chess960_game, random_game},
    };

    fn encoded(moment: &Moment, player: Color) -> Vec<u16> {
        let mut out = Vec::new();
        encode(&moment.position, player, &mut out);
        assert!(out.is_sorted());
        out
    }

    fn at(fen: &str) -> Moment {
        Moment::from_fen(fen, CastlingMode::Standard).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn both_colours_see_the_same(game in random_game(80)) {
            let (moment, mirror) = (game.last().unwrap(), mirrored_game(&game));
            for player in Color::ALL {
                prop_assert_eq!(encoded(moment, player), encoded(&mirror, !player));
            }
        }

        #[test]
        fn a_move_changes_few_places(game in random_chess960_game(80)) {
            for pair in game.windows(2) {
                for player in Color::ALL {
                    let [before, after] = [&pair[0], &pair[1]].map(|moment| encoded(moment, player));
                    let gone = before.iter().filter(|place| !after.contains(place)).count();
                    let new = after.iter().filter(|place| !before.contains(place)).count();
                    // Two pieces of castling, the turn and two rights; or a piece, what it takes, and a right of either side.
                    prop_assert!(gone + new <= 7, "{gone} {new} in {}", pair[0].fen());
                }
            }
        }

        #[test]
        fn pieces_stand_where_the_player_sees_them(game in random_game(80)) {
            let moment = game.last().unwrap();
            for player in Color::ALL {
                let pieces = moment.position.board().clone().into_iter().map(|(square, piece)| {
                    let square = player.fold_wb(square, square.flip_vertical());
                    let plane = 6 * u16::from(piece.color != player) + piece.role as u16 - 1;
                    64 * plane + u16::from(u8::from(square))
                });
                let mut expected: Vec<u16> = pieces.collect();
                expected.sort_unstable();
                let found: Vec<u16> = encoded(moment, player).into_iter().filter(|&place| place < 768).collect();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn places_are_unique_and_within_773(game in random_chess960_game(80)) {
            let places = encoded(game.last().unwrap(), Color::Black);
            prop_assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(places.iter().all(|&place| usize::from(place) < LEN));
        }
    }

    #[test]
    fn the_turn_and_castling_have_places_of_their_own() {
        let bare = "4k3/8/8/8/8/8/8/4K2R";
        for (rest, player, own) in [
            ("w K - 0 1", Color::White, vec![768, 769]),
            ("b K - 0 1", Color::White, vec![769]),
            ("w - - 0 1", Color::Black, Vec::<u16>::new()),
            ("b K - 0 1", Color::Black, vec![768, 771]),
        ] {
            let places = encoded(&at(&format!("{bare} {rest}")), player);
            let beyond: Vec<u16> = places.into_iter().filter(|&place| place >= 768).collect();
            assert_eq!(beyond, own, "{rest} {player}");
        }
        assert_eq!(LEN, 773);
        assert_eq!(encoded(&Moment::default(), Color::Black).len(), 32 + 4);
    }

    #[test]
    fn mirrored_files_keep_the_rest() {
        let mirror = |fen: &str| {
            let mut places: Vec<u16> = encoded(&at(fen), Color::White).into_iter().map(mirrored).collect();
            places.sort_unstable();
            places
        };
        let expected = encoded(&at("3k4/p7/8/8/8/8/7P/3K4 b - - 0 1"), Color::White);
        assert_eq!(mirror("4k3/7p/8/8/8/8/P7/4K3 b - - 0 1"), expected);
    }
}
