use std::time::Duration;

use super::*;
use crate::play::game::setup::{Start, tests::casual};

fn game(setup: Setup) -> Game {
    Game::new("g".to_owned(), setup, 0, Instant::now()).unwrap()
}

fn step(uci: &str) -> Action {
    Action::Move { uci: uci.to_owned(), ply: None }
}

fn reply(game: &mut Game, uci: &str, now: Instant) -> Vec<Event> {
    let played = game.now.parse_uci(uci).unwrap();
    game.play(played, now)
}

#[test]
fn first_moves_are_free_and_later_ones_are_not() {
    let start = Instant::now();
    let mut game = Game::new("g".to_owned(), casual(), 0, start).unwrap();
    let at = |s: u64| start + Duration::from_secs(s);
    assert_eq!(game.running(), None);
    game.act(&step("e2e4"), at(100)).unwrap();
    reply(&mut game, "e7e5", at(200));
    assert_eq!(game.running(), Some(Color::White));
    game.act(&step("g1f3"), at(210)).unwrap();
    assert_eq!(game.plies[2].left_ms, Some(293_000), "ten seconds spent, three earned");
    assert!(game.flag(at(509)).is_none());
    let end = game.flag(at(510)).unwrap();
    let expected = Verdict::new(Some(Color::White), Reason::Time);
    assert_eq!((game.verdict, end), (Some(expected), vec![Event::End { verdict: expected.into() }]));
}

#[test]
fn a_move_after_the_flag_loses() {
    let start = Instant::now();
    let mut game = Game::new("g".to_owned(), casual(), 0, start).unwrap();
    game.act(&step("e2e4"), start).unwrap();
    reply(&mut game, "e7e5", start);
    game.act(&step("g1f3"), start + Duration::from_secs(301)).unwrap();
    assert_eq!(game.verdict, Some(Verdict::new(Some(Color::Black), Reason::Time)));
    assert_eq!(game.plies.len(), 2);
}

#[test]
fn what_a_player_may_not_do_is_refused_and_changes_nothing() {
    let now = Instant::now();
    let mut game = game(casual());
    let refused = |game: &mut Game, action: Action| game.act(&action, now).unwrap_err().to_string();
    assert!(refused(&mut game, step("e2e5")).contains("cannot be played"));
    assert!(refused(&mut game, step("drop table")).contains("not a move"));
    let stale = Action::Move { uci: "e2e4".to_owned(), ply: Some(4) };
    assert_eq!(refused(&mut game, stale), "the move was meant for ply 4, and the game stands at ply 0");
    assert_eq!(refused(&mut game, Action::Takeback {}), "there is no move of yours to take back");
    game.act(&step("e2e4"), now).unwrap();
    assert_eq!(refused(&mut game, step("e7e5")), "it is not your turn");
    game.act(&Action::Draw {}, now).unwrap();
    assert_eq!(refused(&mut game, Action::Draw {}), "a draw was offered a moment ago");
    game.act(&Action::Resign {}, now).unwrap();
    assert_eq!(game.verdict, Some(Verdict::new(Some(Color::Black), Reason::Resignation)));
    assert_eq!(refused(&mut game, Action::Resign {}), "the game is over");
    assert_eq!(game.plies.len(), 1);
}

#[test]
fn a_takeback_asks_for_the_last_own_move_again() {
    let now = Instant::now();
    let mut game = game(casual());
    game.act(&step("e2e4"), now).unwrap();
    assert_eq!(game.takeback_plies(), Some(1));
    reply(&mut game, "e7e5", now);
    game.act(&step("g1f3"), now).unwrap();
    reply(&mut game, "b8c6", now);
    assert_eq!(game.act(&Action::Takeback {}, now).unwrap(), [Event::Takeback { plies: 2 }]);
    assert_eq!(game.plies.len(), 2);
    assert_eq!(game.now.past.moves().len(), 2);
    assert_eq!(game.turn(), Color::White);
}

#[test]
fn moves_of_the_start_cannot_be_taken_back() {
    let start = Start { fen: None, moves: vec!["e2e4".to_owned(), "c7c5".to_owned()] };
    let mut game = game(Setup { start, ..casual() });
    assert_eq!((game.plies.len(), game.given, game.takeback_plies()), (2, 2, None));
    game.act(&step("g1f3"), Instant::now()).unwrap();
    assert_eq!(game.takeback_plies(), Some(1));
}

#[test]
fn a_third_repetition_and_mate_end_the_game() {
    let now = Instant::now();
    let mut drawn = game(casual());
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(8) {
        assert!(!drawn.is_over());
        reply(&mut drawn, uci, now);
    }
    assert_eq!(drawn.verdict, Some(Verdict::new(None, Reason::Repetition)));
    let mut mated = game(casual());
    let events: Vec<Event> =
        ["f2f3", "e7e5", "g2g4", "d8h4"].iter().flat_map(|uci| reply(&mut mated, uci, now)).collect();
    assert_eq!(mated.verdict, Some(Verdict::new(Some(Color::Black), Reason::Checkmate)));
    assert_eq!(mated.plies[3].san, "Qh4#");
    let mut again = game(casual());
    for event in &events {
        again.record(event, now).unwrap();
    }
    assert_eq!((again.plies, again.verdict), (mated.plies, mated.verdict));
}

#[test]
fn the_opponents_offer_stands_until_the_player_moves() {
    let now = Instant::now();
    for (moved, reason) in [(false, Some(Reason::Agreement)), (true, None)] {
        let mut game = game(casual());
        game.offered_at = Some(0);
        if moved {
            game.act(&step("e2e4"), now).unwrap();
        }
        game.act(&Action::Draw {}, now).unwrap();
        assert_eq!(game.verdict.map(|verdict| verdict.reason), reason);
    }
}

#[test]
fn a_game_can_be_called_off_until_both_have_moved() {
    let now = Instant::now();
    let mut early = game(casual());
    early.act(&step("e2e4"), now).unwrap();
    let mut late = early.clone();
    early.act(&Action::Abort {}, now).unwrap();
    assert_eq!(early.verdict.unwrap().outcome().to_string(), "*");
    reply(&mut late, "e7e5", now);
    assert!(matches!(late.act(&Action::Abort {}, now), Err(ActionError::TooLateToAbort)));
}

#[test]
fn takebacks_can_be_left_out_of_a_game() {
    let now = Instant::now();
    let mut game = game(Setup { takebacks: false, ..casual() });
    game.act(&step("e2e4"), now).unwrap();
    assert!(game.takeback_plies().is_none());
    assert!(matches!(game.act(&Action::Takeback {}, now), Err(ActionError::NoTakebacks)));
}
