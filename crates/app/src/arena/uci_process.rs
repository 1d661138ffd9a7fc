//! A UCI engine as a player.

use std::{sync::atomic::AtomicBool, time::Instant};

use ::uci::{Client, EngineOption, Info, Said, Spin, Value};
use anyhow::{Context, anyhow};
use engine::Score;

use super::{
    player::{Failure, Player, Question, Thought},
    uci_words::Go,
};

#[derive(Debug)]
pub(crate) struct UciProcess {
    client: Client,
    /// How strong it is to be, if that can be told and the user has not.
    elo: Option<Elo>,
}

#[derive(Debug)]
struct Elo {
    option: EngineOption,
    spin: Spin,
    told: i64,
}

impl UciProcess {
    /// Starts the engine and sets its options: the `wanted` must exist, the `usual` are set where they do.
    pub(crate) fn start(
        command: &[String],
        usual: &[(&str, String)],
        wanted: &[(String, String)],
        abort: &AtomicBool,
    ) -> anyhow::Result<UciProcess> {
        let mut client = Client::start(command, abort)?;
        let program = &command[0];
        let overruled = |name: &str| wanted.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        let mut lines = Vec::new();
        for (name, value) in usual.iter().filter(|(name, _)| !overruled(name)) {
            lines.extend(client.option(name).map(|option| option.set(value)));
        }
        for (name, value) in wanted {
            let option = client.option(name);
            lines.push(option.with_context(|| format!("`{program}` has no option `{name}`"))?.set(value));
        }
        let not_ready = |failure| anyhow!("`{program}` does not get ready: {failure}");
        lines.iter().try_for_each(|line| client.send(line)).map_err(not_ready)?;
        let elo = client.option("UCI_Elo").filter(|_| !overruled("UCI_Elo")).and_then(|option| {
            let spin = option.spin()?;
            Some(Elo { option: option.clone(), spin, told: spin.default })
        });
        client.ready(abort).map_err(not_ready)?;
        Ok(UciProcess { client, elo })
    }

    /// Without a rating it gets back what it started with, so that no answer depends on an earlier question.
    fn tell_rating(&mut self, rating: Option<u16>) -> Result<(), Failure> {
        let Some(elo) = &mut self.elo else { return Ok(()) };
        let Spin { default, least, most } = elo.spin;
        let wanted = rating.map_or(default, |rating| i64::from(rating).clamp(least, most));
        if wanted == elo.told {
            return Ok(());
        }
        elo.told = wanted;
        self.client.send(&elo.option.set(&wanted.to_string()))
    }
}

impl Player for UciProcess {
    fn new_game(&mut self, abort: &AtomicBool) -> Result<(), Failure> {
        self.client.send("ucinewgame")?;
        self.client.ready(abort)
    }

    fn think(&mut self, question: &Question<'_>) -> Result<Thought, Failure> {
        self.client.forget();
        self.tell_rating(question.rating)?;
        let go = Go::new(question);
        self.client.send(&go.position)?;
        let started = Instant::now();
        self.client.send(&go.go)?;
        let (stop, give_up) = question.deadlines(started);
        let mut deadline = stop;
        let mut score: Option<Score> = None;
        loop {
            match self.client.hear(deadline, question.abort) {
                // What it said before it was asked is no answer.
                Ok((arrived, _)) if arrived < started => {}
                Ok((arrived, line)) => match Said::parse(&line) {
                    Said::Info(info) => score = score_of(&info).or(score),
                    Said::BestMove(text) => {
                        let elapsed = arrived.saturating_duration_since(started);
                        return Ok(Thought { text: text.to_owned(), elapsed, score, resigns: false });
                    }
                    _ => {}
                },
                Err(Failure::Hung) if deadline == stop => {
                    self.client.send("stop")?;
                    deadline = give_up;
                }
                Err(failure) => return Err(failure),
            }
        }
    }
}

/// Of the best line, for the side to move.
fn score_of(info: &Info<'_>) -> Option<Score> {
    match info.value.filter(|_| matches!(info.multipv, None | Some(1)))? {
        Value::Centipawns(value) => Some(Score::Centipawns(value)),
        Value::Mate(moves) if moves > 0 => Some(Score::mates(moves.unsigned_abs())),
        Value::Mate(moves) => Some(Score::mated(moves.unsigned_abs())),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chess::{Moment, shakmaty::ByColor};

    use super::*;
    use crate::arena::{pace::Pace, player::Patience};

    const SCRIPTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/engines/scripted.sh");

    fn start(game: &str, wanted: &[(String, String)]) -> anyhow::Result<UciProcess> {
        let usual = [("Hash", "1".to_owned()), ("Threads", "1".to_owned())];
        UciProcess::start(&[SCRIPTED.to_owned(), game.to_owned()], &usual, wanted, &AtomicBool::new(false))
    }

    /// Asks for the first move of a game, with `patience_ms` for everything.
    fn ask(game: &str, patience_ms: u64) -> Result<Thought, Failure> {
        let mut process = start(game, &[]).unwrap();
        process.new_game(&AtomicBool::new(false))?;
        ask_as(&mut process, None, patience_ms)
    }

    fn ask_as(process: &mut UciProcess, rating: Option<u16>, patience_ms: u64) -> Result<Thought, Failure> {
        let abort = AtomicBool::new(false);
        let short = Duration::from_millis(patience_ms);
        process.think(&Question {
            moment: &Moment::default(),
            start_fen: None,
            moves: &[],
            clocks: ByColor::default(),
            rating,
            pace: &Pace { depth: Some(1), ..Pace::default() },
            patience: &Patience { margin: short, grace: short, untimed: short },
            abort: &abort,
        })
    }

    #[test]
    fn moves_come_back_with_their_scores() {
        let thought = ask("e2e4=31", 60_000).unwrap();
        assert_eq!((thought.text.as_str(), thought.score), ("e2e4", Some(Score::Centipawns(31))));
    }

    #[test]
    fn the_rating_to_foresee_is_told_unless_the_user_chose_one() {
        let answers = |wanted: &[(String, String)]| {
            let mut process = start("rated", wanted).unwrap();
            [Some(1712), Some(9000), None].map(|rating| ask_as(&mut process, rating, 60_000).unwrap().score)
        };
        let ratings = |ratings: [i32; 3]| ratings.map(|rating| Some(Score::Centipawns(rating)));
        assert_eq!(answers(&[]), ratings([1712, 2600, 1500]));
        assert_eq!(answers(&[("uci_elo".to_owned(), "1100".to_owned())]), ratings([1100; 3]));
    }

    #[test]
    fn crashes_and_hangs_are_told_apart() {
        assert!(matches!(ask("crash", 60_000), Err(Failure::Crashed(how)) if how.contains('3')));
        assert_eq!(ask("hang", 50).unwrap_err(), Failure::Hung);
    }

    #[test]
    fn options_that_it_does_not_have_are_refused_in_a_sentence() {
        let error = format!("{:#}", start("", &[("Elo".to_owned(), "9".to_owned())]).unwrap_err());
        assert!(error.contains("has no option `Elo`"), "{error}");
        assert!(
            start("", &[("clear hash".to_owned(), String::new())]).is_ok(),
            "names are not case sensitive"
        );
    }

    #[test]
    fn scores_are_those_of_the_best_line() {
        let table = [
            ("info depth 9 score mate -2 pv e2e4", Some(Score::mated(2))),
            ("info depth 9 score mate 3 multipv 1", Some(Score::mates(3))),
            ("info depth 9 multipv 2 score cp 10", None),
            ("info string score cp 10", None),
        ];
        for (line, score) in table {
            let Said::Info(info) = Said::parse(line) else { panic!("{line}") };
            assert_eq!(score_of(&info), score, "{line}");
        }
    }

    #[test]
    fn an_engine_that_talks_without_end_loses_with_a_reason() {
        let failure = ask("endless", 60_000).unwrap_err();
        assert!(failure.to_string().contains("a line of more than"), "{failure}");
    }
}
