//! `tabiya data mistakes`: how much people lose by their moves, and how lost they are when they resign.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    process::ExitCode,
};

use ::data::{Dataset, Game, GameResult, Speed};
use chess::{
    Evaluation,
    shakmaty::{Color, Position},
};
use engine::{Score, expected_score};

use crate::terminal::progress::bar;

/// Tell how much expected score moves lose, and how lost games are when they are resigned, by rating.
///
/// Reads the [%eval] comments of a dataset. The expected score of an evaluation is 1 / (1 + exp(-0.00368208 cp)), a
/// mate counts as 1 or 0. The table of `engine::human` comes from here.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the dataset
    dir: PathBuf,
    /// Only games of this speed: ultrabullet, bullet, blitz, rapid, classical
    #[arg(long, value_name = "SPEED", value_parser = speed)]
    speed: Vec<Speed>,
    /// Width of a band of ratings
    #[arg(long, default_value_t = 200)]
    band: u16,
    /// Games of one account that count, so that no single player is a band of its own
    #[arg(long, default_value_t = 200, value_name = "N")]
    max_per_account: u32,
}

pub(crate) fn speed(name: &str) -> Result<Speed, String> {
    let names = || Speed::ALL.map(Speed::name).join(", ");
    Speed::ALL.into_iter().find(|speed| speed.name() == name).ok_or_else(names)
}

/// What is known of the players of one band.
#[derive(Debug, Default)]
struct Band {
    /// Loss in expected score of every move.
    losses: Vec<f32>,
    /// The loser's expected score where a game was resigned.
    resigned_at: Vec<f32>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dataset = Dataset::open(&args.dir)?;
    let bar = bar(Some(dataset.card.games), "{wide_bar} {pos} of {len} games, {eta} left");
    let mut bands: BTreeMap<u16, Band> = BTreeMap::new();
    let mut seats: HashMap<String, u32> = HashMap::new();
    dataset.for_each_group(|games| {
        bar.inc(games.len() as u64);
        let wanted = |game: &&Game| args.speed.is_empty() || args.speed.contains(&Speed::of(game.control));
        for game in games.iter().filter(wanted).filter(|game| game.evals.is_some()) {
            for color in Color::ALL {
                let name = color.fold_wb(&game.white, &game.black);
                let seat = seats.entry(name.clone()).or_default();
                *seat += 1;
                if let Some(rating) = color.fold_wb(game.white_elo, game.black_elo)
                    && (name == "?" || *seat <= args.max_per_account)
                {
                    bands.entry(rating / args.band * args.band).or_default().add(game, color);
                }
            }
        }
        Ok::<(), ::data::DatasetError>(())
    })?;
    bar.finish_and_clear();
    println!(
        "rating      moves   loss: 1 in 20   in 100   in 200   in 500  in 1000   resigned  at: median  3 of 4 below"
    );
    for (rating, band) in &mut bands {
        println!("{rating:>6}{}", band.row());
    }
    Ok(ExitCode::SUCCESS)
}

impl Band {
    /// Takes in the moves of one side.
    fn add(&mut self, game: &Game, color: Color) {
        let first = usize::from(color.is_black() != game.start().turn().is_black());
        for ply in (first..game.moves.len()).step_by(2) {
            if let (Some(before), Some(after)) = (game.eval_at(ply), game.eval_at(ply + 1)) {
                self.losses.push((expectation(before, color) - expectation(after, color)).max(0.0));
            }
        }
        let loser = match game.result {
            GameResult::White => Some(Color::Black),
            GameResult::Black => Some(Color::White),
            _ => None,
        };
        let by_choice = game.termination.as_deref() == Some("Normal") && loser == Some(color);
        if by_choice && let Some(last) = game.eval_at(game.moves.len()) {
            // A mate on the board has no evaluation, so what has one was resigned.
            self.resigned_at.push(expectation(last, color));
        }
    }

    fn row(&mut self) -> String {
        self.losses.sort_by(f32::total_cmp);
        self.resigned_at.sort_by(f32::total_cmp);
        let loss = |one_in: usize| quantile(&self.losses, 1.0 - 1.0 / one_in as f64);
        format!(
            "{:>11}{:>16.3}{:>9.3}{:>9.3}{:>9.3}{:>9.3}{:>11}{:>12.4}{:>15.4}",
            self.losses.len(),
            loss(20),
            loss(100),
            loss(200),
            loss(500),
            loss(1000),
            self.resigned_at.len(),
            quantile(&self.resigned_at, 0.5),
            quantile(&self.resigned_at, 0.75),
        )
    }
}

/// The value below which this share of the sorted values lies.
fn quantile(sorted: &[f32], share: f64) -> f32 {
    let at = (share * sorted.len() as f64) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f32::NAN)
}

/// Expected score of `color`.
fn expectation(evaluation: Evaluation, color: Color) -> f32 {
    let score = match (evaluation.as_mate(), evaluation.as_centipawns()) {
        (Some(moves), _) if moves >= 0 => Score::mates(moves.unsigned_abs().into()),
        (Some(moves), _) => Score::mated(moves.unsigned_abs().into()),
        (None, centipawns) => Score::Centipawns(centipawns.unwrap_or(0).into()),
    };
    color.fold_wb(expected_score(score), 1.0 - expected_score(score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_and_resignations_are_those_of_the_mover() {
        let game = Game {
            id: "abcdefgh".to_owned(),
            date: None,
            white: "white".to_owned(),
            black: "black".to_owned(),
            white_title: None,
            black_title: None,
            white_elo: Some(1500),
            black_elo: Some(1500),
            control: None,
            result: GameResult::Black,
            termination: Some("Normal".to_owned()),
            eco: None,
            start_fen: None,
            moves: vec![chess::PackedMove(0); 4],
            clocks_cs: None,
            evals: Some(
                [
                    Evaluation::centipawns(0),
                    Evaluation::centipawns(0),
                    Evaluation::mate(-4),
                    Evaluation::mate(-3),
                ]
                .map(|e| Some(e.0))
                .to_vec(),
            ),
        };
        let (mut white, mut black) = (Band::default(), Band::default());
        white.add(&game, Color::White);
        black.add(&game, Color::Black);
        assert_eq!(
            (white.losses, white.resigned_at),
            (vec![0.5], vec![0.0]),
            "White throws the game away and resigns"
        );
        assert_eq!((black.losses, black.resigned_at), (vec![0.0, 0.0], vec![]));
    }

    #[test]
    fn quantiles_take_the_value_at_their_place() {
        let values: Vec<f32> = (0..100).map(|value| value as f32).collect();
        assert_eq!(
            (quantile(&values, 0.5), quantile(&values, 0.99), quantile(&values, 1.0)),
            (50.0, 99.0, 99.0)
        );
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn mates_are_sure_and_chances_add_up() {
        for (evaluation, white) in
            [(Evaluation::mate(3), 1.0), (Evaluation::mate(-1), 0.0), (Evaluation::centipawns(0), 0.5)]
        {
            assert_eq!(expectation(evaluation, Color::White), white);
            assert_eq!(expectation(evaluation, Color::Black), 1.0 - white);
        }
    }
}
