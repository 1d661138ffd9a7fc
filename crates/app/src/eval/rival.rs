//! Searches and UCI engines, asked for the one move that they would play.

use std::{sync::atomic::AtomicBool, thread, time::Duration};

use ::data::{Game, Sample};
use anyhow::anyhow;
use chess::{
    Wdl,
    shakmaty::{ByColor, CastlingMode, Position},
};
use indicatif::ProgressBar;

use super::mark::{Forecast, Moves};
use crate::arena::{
    entrant::{Common, Entrant},
    player::{Patience, Player, Question},
};

/// No position takes an engine as long as this.
const PATIENCE: Patience = Patience {
    margin: Duration::from_secs(10),
    grace: Duration::from_secs(10),
    untimed: Duration::from_secs(120),
};

/// Asks `engines` players at the same time; the answers do not depend on their number.
pub(crate) fn forecast(
    entrant: &Entrant,
    common: &Common,
    samples: &[Sample],
    engines: usize,
    bar: &ProgressBar,
) -> anyhow::Result<Vec<Forecast>> {
    let share = samples.len().div_ceil(engines).max(1);
    let never = AtomicBool::new(false);
    let ask_all = |samples: &[Sample]| -> anyhow::Result<Vec<Forecast>> {
        let mut player = entrant.start(common, &never)?;
        let ask = |sample| ask(player.as_mut(), entrant, sample, &never).inspect(|_| bar.inc(1));
        samples.iter().map(ask).collect()
    };
    let parts: Vec<anyhow::Result<Vec<Forecast>>> = thread::scope(|scope| {
        let running: Vec<_> = samples.chunks(share).map(|part| scope.spawn(|| ask_all(part))).collect();
        running
            .into_iter()
            .map(|part| part.join().unwrap_or_else(|_| Err(anyhow!("a thread failed"))))
            .collect()
    });
    let mut forecasts = Vec::new();
    for part in parts {
        forecasts.extend(part?);
    }
    Ok(forecasts)
}

fn ask(
    player: &mut dyn Player,
    entrant: &Entrant,
    sample: &Sample,
    abort: &AtomicBool,
) -> anyhow::Result<Forecast> {
    let failed = |failure| anyhow!("{failure} in {}", sample.moment.fen());
    // Memories of other positions would make the answer depend on the order.
    player.new_game(abort).map_err(failed)?;
    let moves = moves_before(&sample.game, sample.ply.into());
    let turn = sample.moment.turn();
    let question = Question {
        moment: &sample.moment,
        start_fen: sample.game.start_fen.as_deref(),
        moves: &moves,
        clocks: ByColor::default(),
        rating: sample.moment.players.and_then(|players| players.of(turn)),
        pace: &entrant.pace,
        patience: &PATIENCE,
        abort,
    };
    let thought = player.think(&question).map_err(failed)?;
    let wdl = thought.score.map(|score| {
        let expectation = engine::expected_score(score);
        Wdl::from_weights(expectation, 0.0, 1.0 - expectation)
    });
    Ok(Forecast { moves: Moves::Best(sample.moment.parse_uci(&thought.text).ok()), wdl, think: None })
}

/// The first moves of a game in UCI notation.
fn moves_before(game: &Game, plies: usize) -> Vec<String> {
    let mut position = game.start();
    let mut texts = Vec::new();
    for packed in &game.moves[..plies] {
        let Some(m) = packed.fit(&position) else { break };
        texts.push(m.to_uci(CastlingMode::Standard).to_string());
        position.play_unchecked(m);
    }
    texts
}

#[cfg(all(test, unix))]
mod tests {
    use ::data::{Dataset, ImportOptions, Policy, Sampler, SamplerOptions, import};
    use engine::Score;

    use super::*;
    use crate::arena::pace::Pace;

    const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/games.pgn");
    const SCRIPTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/engines/scripted.sh");

    #[test]
    fn engines_are_told_the_rating_of_the_player_to_move() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("games");
        import(&[GAMES.into()], &out, &ImportOptions::default(), |_| {}).unwrap();
        let options =
            SamplerOptions { epochs: 1, ..SamplerOptions::new(Policy::named("all").unwrap(), None, 5) };
        let samples: Vec<Sample> =
            Sampler::new(&Dataset::open(&out).unwrap(), &options).flat_map(Result::unwrap).collect();
        let pace = Pace { depth: Some(1), ..Pace::default() };
        let common = Common { hash_mb: 1, threads: 1, pace, chess960: false };
        let engine = format!("{SCRIPTED} '{}'", "rated ".repeat(20));
        let entrant = Entrant::parse(&engine, &common).unwrap();
        let forecasts = forecast(&entrant, &common, &samples, 2, &ProgressBar::hidden()).unwrap();
        assert_eq!(forecasts.len(), 19);
        for (sample, forecast) in samples.iter().zip(&forecasts) {
            let rating = sample.moment.players.and_then(|players| players.of(sample.moment.turn()));
            // The engine's own default where nobody has a rating.
            let expected = engine::expected_score(Score::Centipawns(rating.unwrap_or(1500).into()));
            let said = forecast.wdl.unwrap().win();
            assert!((said - expected).abs() < 1e-6, "{rating:?}: {said}");
        }
    }
}
