//! Random games for tests.

use chess::{
    PackedMove,
    shakmaty::{Chess, Position},
};
use proptest::prelude::*;

use crate::{Game, Random, TimeControl, result::GameResult};

/// A game of legal random moves, the same for the same id.
pub(crate) fn game(id: &str, plies: usize) -> Game {
    let mut random = Random::new(xxhash_rust::xxh3::xxh3_64(id.as_bytes()));
    let (mut position, mut moves) = (Chess::default(), Vec::new());
    while moves.len() < plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let m = legal[random.below(legal.len())];
        moves.push(PackedMove::from(m));
        position.play_unchecked(m);
    }
    Game {
        id: id.to_owned(),
        date: Some(19_000),
        white: "Alice".to_owned(),
        black: "Bob".to_owned(),
        white_title: None,
        black_title: None,
        white_elo: Some(1500),
        black_elo: Some(1600),
        control: Some(TimeControl { base_s: 300, increment_s: 0 }),
        result: GameResult::White,
        termination: Some("Normal".to_owned()),
        eco: Some("A00".to_owned()),
        start_fen: None,
        moves,
        clocks_cs: None,
        evals: None,
    }
}

const STARTS: [Option<&str>; 3] = [
    None,
    Some("8/5k2/8/8/3P4/8/2K5/8 w - - 0 1"),
    Some("r3k2r/pppq1ppp/2npbn2/4p3/4P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 4 9"),
];

/// Games that use every column in every way.
pub(crate) fn any_game() -> impl Strategy<Value = Game> {
    let text = || prop::option::of("[ -~äß\u{4e00}]{1,12}".prop_map(|text| text.trim().to_owned()));
    let elo = || prop::option::of(100u16..4000);
    let who = ("[A-Za-z0-9]{8}", "[A-Za-z_\\\\\" -]{1,12}", "[A-Za-z0-9_,. -]{1,12}", text(), text(), text());
    let facts = (
        prop::option::of(0i32..20_000),
        elo(),
        elo(),
        prop::option::of((0u32..20_000, 0u32..200)),
        0usize..4,
        0usize..STARTS.len(),
    );
    (who, facts, 1usize..90, any::<[bool; 3]>(), any::<u64>()).prop_map(|(who, facts, plies, has, seed)| {
        let (id, white, black, white_title, termination, eco) = who;
        let (date, white_elo, black_elo, control, result, start) = facts;
        let start_fen = STARTS[start].map(str::to_owned);
        let mut random = Random::new(seed);
        let mut position = start_fen.as_deref().and_then(crate::game::parse_start).unwrap_or_default();
        let mut moves = Vec::new();
        for _ in 0..plies {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[random.below(legal.len())];
            moves.push(PackedMove::from(m));
            position.play_unchecked(m);
        }
        let mut holes = random.clone();
        let mut present = |rate: usize| holes.below(10) < rate;
        let clock = |at: usize| 30_000u32.saturating_sub(97 * at as u32);
        let clocks_cs: Vec<_> = (0..moves.len()).map(|at| present(9).then(|| clock(at))).collect();
        let evals: Vec<_> = (0..moves.len()).map(|at| present(8).then_some(at as i16 * 7 - 90)).collect();
        let not_empty =
            |text: Option<String>| text.filter(|text| !text.is_empty() && text != "?" && text != "-");
        Game {
            id,
            date,
            white: white.trim().to_owned(),
            black: black.trim().to_owned(),
            white_title: not_empty(white_title),
            black_title: None,
            white_elo,
            black_elo,
            control: control.map(|(base_s, increment_s)| TimeControl { base_s, increment_s }),
            result: GameResult::ALL[result],
            termination: not_empty(termination),
            eco: not_empty(eco),
            start_fen,
            clocks_cs: (has[0] && clocks_cs.iter().any(Option::is_some)).then_some(clocks_cs),
            evals: (has[1] && evals.iter().any(Option::is_some)).then_some(evals),
            moves,
        }
    })
}
