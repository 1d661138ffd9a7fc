//! Games in PGN, read one by one from any stream and written back.
//!
//! For books, review, matches and tests; what turns whole Lichess dumps into tables streams on its own.

mod read;
mod write;

pub use crate::comment::Eval;
pub use read::{GameError, Games, games};
use shakmaty::{ByColor, Move, Outcome};

use crate::{Clocks, Moment};

/// One game: its main line, and what the comments tell of clocks and evaluations.
#[derive(Clone, Debug)]
pub struct Game {
    /// Names and values in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The position that the moves start from, with the ratings and full clocks of the tags.
    pub start: Moment,
    pub moves: Vec<Move>,
    /// What the mover has left after each move, its increment included, as Lichess and PGN have it.
    pub clocks_cs: Vec<Option<u32>>,
    /// Evaluation after each move.
    pub evals: Vec<Option<Eval>>,
    pub outcome: Outcome,
}

impl Game {
    /// A game that has yet to be played.
    pub fn new(start: Moment) -> Game {
        Game {
            tags: Vec::new(),
            start,
            moves: Vec::new(),
            clocks_cs: Vec::new(),
            evals: Vec::new(),
            outcome: Outcome::Unknown,
        }
    }

    /// Adds a move, which must be legal where the game stands.
    pub fn push(&mut self, m: Move, clock_cs: Option<u32>, eval: Option<Eval>) {
        self.moves.push(m);
        self.clocks_cs.push(clock_cs);
        self.evals.push(eval);
    }

    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, in place of one of the same name.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value.into(),
            None => self.tags.push((name.to_owned(), value.into())),
        }
    }

    /// The moment before each move, then the one after the last. Clocks are those that stood when thinking
    /// began; after a move that tells no clock they are unknown until that side tells one again.
    pub fn moments(&self) -> impl Iterator<Item = Moment> {
        let mut moment = self.start.clone();
        let mut left_cs = moment.clocks.map_or_else(ByColor::default, |clocks| clocks.left_cs.map(Some));
        let later = self.moves.iter().zip(&self.clocks_cs).map(move |(&m, &clock_cs)| {
            *left_cs.get_mut(moment.turn()) = clock_cs;
            moment.play(m);
            moment.clocks = both_known(left_cs, self.start.clocks);
            moment.clone()
        });
        std::iter::once(self.start.clone()).chain(later)
    }
}

fn both_known(left_cs: ByColor<Option<u32>>, control: Option<Clocks>) -> Option<Clocks> {
    let left_cs = ByColor { black: left_cs.black?, white: left_cs.white? };
    let unknown = Clocks { left_cs, increment_cs: ByColor::default(), base_cs: None };
    Some(Clocks { left_cs, ..control.unwrap_or(unknown) })
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use shakmaty::{Color, KnownOutcome};

    use super::*;
    use crate::{
        Ratings,
        testing::{random_chess960_game, random_game},
    };

    const BLITZ: &str = r#"[Event "Rated blitz game"]
[Site "?"]
[White "Ann"]
[Black "Bob"]
[Result "0-1"]
[WhiteElo "1500"]
[BlackElo "?"]
[TimeControl "180+2"]

1. f3 { [%eval -0.4] [%clk 0:03:00] } 1... e5 { [%eval -0.38] [%clk 0:02:58.5] }
2. g4?? { [%eval #-1] [%clk 0:02:51] } (2. e4 Nf6 { [%clk 0:00:01] }) 2... Qh4# { [%clk 0:02:59] } 0-1

"#;

    fn one(text: &str) -> Game {
        let mut games = games(text.as_bytes());
        let game = games.next().expect("one game").unwrap();
        assert!(games.next().is_none());
        game
    }

    #[test]
    fn a_lichess_game_gives_what_each_player_knew() {
        let game = one(BLITZ);
        assert_eq!(game.outcome, Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }));
        assert_eq!(
            game.evals[..3],
            [Some(Eval::Centipawns(-40)), Some(Eval::Centipawns(-38)), Some(Eval::Mate(-1))]
        );
        let left: Vec<_> = game
            .moments()
            .map(|moment| moment.clocks.map(|clocks| (clocks.left_cs.white, clocks.left_cs.black)).unwrap())
            .collect();
        assert_eq!(left, [(18000, 18000), (18000, 18000), (18000, 17850), (17100, 17850), (17100, 17900)]);
        let last = game.moments().last().unwrap();
        assert_eq!(last.players, Some(Ratings::lichess(Some(1500), None)));
        assert_eq!(last.clocks.unwrap().increment_cs.white, 200);
        assert_eq!(last.past.moves().len(), 4);
    }

    #[test]
    fn clocks_are_unknown_where_a_comment_is_missing() {
        let game =
            one("1. e4 { [%clk 0:01:00] } e5 2. Nf3 Nc6 { [%clk 0:00:50] } 3. Bb5 { [%clk 0:00:40] } *\n");
        let known: Vec<bool> = game.moments().map(|moment| moment.clocks.is_some()).collect();
        assert_eq!(known, [false, false, false, false, false, true]);
    }

    fn random_tags() -> impl Strategy<Value = Vec<(String, String)>> {
        let value = proptest::string::string_regex(r#"[a-zé"\\\[\]{}% -]{0,20}"#).unwrap();
        let names = Just(["White", "Site", "Opening", "WhiteElo"].map(str::to_owned).to_vec());
        (names.prop_shuffle(), vec(value, 4))
            .prop_map(|(names, values)| names.into_iter().zip(values).collect())
    }

    fn random_evals() -> impl Strategy<Value = Vec<Option<Eval>>> {
        vec(
            prop_oneof![
                Just(None),
                (-99_999..99_999).prop_map(|centipawns| Some(Eval::Centipawns(centipawns))),
                (-99..99).prop_map(|moves| Some(Eval::Mate(moves))),
            ],
            80,
        )
    }

    prop_compose! {
        fn random_record()(
            moments in prop_oneof![random_game(80), random_chess960_game(80)],
            clocks_cs in vec(any::<Option<u32>>(), 80),
            evals in random_evals(),
            tags in random_tags(),
            score in 0..4,
        ) -> Game {
            let mut game = Game::new(moments[0].clone());
            game.tags = tags;
            for (moment, (clock_cs, eval)) in moments[1..].iter().zip(clocks_cs.into_iter().zip(evals)) {
                game.push(moment.past.moves().next().unwrap(), clock_cs, eval);
            }
            let results = ["1-0", "0-1", "1/2-1/2", "*"];
            game.outcome = Outcome::from_ascii(results[score as usize].as_bytes()).unwrap();
            game
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_game_survives_writing_and_reading(game in random_record()) {
            let text = game.to_string();
            let back = one(&text);
            prop_assert_eq!(back.start.fen(), game.start.fen());
            prop_assert_eq!(back.start.castling_mode(), game.start.castling_mode());
            prop_assert_eq!(&back.moves, &game.moves);
            prop_assert_eq!(&back.clocks_cs, &game.clocks_cs);
            prop_assert_eq!(&back.evals, &game.evals);
            prop_assert_eq!(back.outcome, game.outcome);
            for (name, value) in &game.tags {
                prop_assert_eq!(back.tag(name), Some(value.as_str()));
            }
            prop_assert_eq!(back.to_string(), text);
        }

        #[test]
        fn lines_stay_within_eighty_columns(game in random_record()) {
            let text = game.to_string();
            let movetext = text.split("\n\n").nth(1).unwrap();
            prop_assert!(movetext.lines().all(|line| line.len() <= 80 && line.trim() == line), "{}", movetext);
        }

        #[test]
        fn no_text_panics(text in r#"(?s)([\[\]"{}()\n\\;%$ ]|FEN|Variant|Chess960|1-0|e4|O-O|\.|.){0,200}"#) {
            games(text.as_bytes()).take(300).for_each(drop);
        }
    }
}
