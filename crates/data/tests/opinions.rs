//! Opinions of a teacher that is a closure: collected, broken off, gone on with, and joined to samples.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use chess::{Moment, Opinion, PackedMove, Wdl};
use data::{
    Dataset, Fingerprint, ImportOptions, OpinionCard, OpinionError, OpinionOptions, OpinionRecipe, Opinions,
    Policy, Sample, Sampler, SamplerOptions, collect_opinions, import,
};

const GAMES: usize = 40;

fn dataset(folder: &Path) -> PathBuf {
    let game = |n: usize| {
        let tags = format!(
            "[Event \"x\"]\n[Site \"https://lichess.org/game{n:04}\"]\n[White \"w{n}\"]\n[Black \"b{n}\"]\n[Result \"1-0\"]\n\
             [WhiteElo \"1500\"]\n[BlackElo \"1600\"]\n[TimeControl \"300+0\"]\n"
        );
        format!("{tags}\n{}e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7# 1-0\n\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(n % 7))
    };
    fs::write(folder.join("games.pgn"), (0..GAMES).map(game).collect::<String>()).unwrap();
    import(&[folder.join("games.pgn")], &folder.join("set"), &ImportOptions::default(), |_| {}).unwrap();
    folder.join("set")
}

fn options(drawn: f64) -> OpinionOptions {
    OpinionOptions {
        name: "first".to_owned(),
        recipe: OpinionRecipe {
            teacher: "closure".to_owned(),
            network: Fingerprint::of(b"closure"),
            policy: Policy::named("all").unwrap(),
            split: None,
            kept_apart: 0,
            seed: 3,
            drawn,
        },
        sample: 0,
        batch: 16,
        resume: false,
        stop: Arc::default(),
    }
}

/// Holds the first legal move for three times as likely as the second, and the game for won by the higher rated.
fn teacher(moments: &[Moment]) -> Vec<Opinion> {
    let opinion = |moment: &Moment| {
        let mut policy = vec![0.0; moment.legal_moves().len()];
        policy[0] = 1.0;
        if policy.len() > 1 {
            (policy[0], policy[1]) = (0.75, 0.25);
        }
        let own = moment.players.unwrap().of(moment.turn()).unwrap();
        let wdl = Wdl::from_weights(f32::from(own), 0.0, 3000.0 - f32::from(own));
        Opinion { policy: Some(policy), wdl: Some(wdl), ..Opinion::default() }
    };
    moments.iter().map(opinion).collect()
}

fn samples(set: &Path, policy: &str, share: f32) -> Vec<Sample> {
    let opinions = Opinions::read(set, &["first".to_owned()], share, 1.0).unwrap();
    let options = SamplerOptions {
        epochs: 1,
        opinions: Some(Arc::new(opinions)),
        ..SamplerOptions::new(Policy::named(policy).unwrap(), None, 1)
    };
    Sampler::new(&Dataset::open(set).unwrap(), &options).flat_map(Result::unwrap).collect()
}

#[test]
fn every_position_gets_its_opinion_whether_the_work_was_broken_off_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let set = dataset(folder.path());
    let whole = collect_opinions(&set, &options(0.0), teacher, |_| {}).unwrap();
    assert_eq!((whole.rows, whole.finished), (Dataset::open(&set).unwrap().card.plies, true));
    let parts = || OpinionOptions { name: "parts".to_owned(), resume: true, ..options(0.0) };
    let mut runs = 0;
    let pieces = loop {
        runs += 1;
        let (stop, mut asked) = (Arc::new(AtomicBool::new(false)), 0);
        let raise = Arc::clone(&stop);
        let ask = |moments: &[Moment]| {
            asked += 1;
            raise.store(asked == 3, Ordering::Relaxed);
            teacher(moments)
        };
        match collect_opinions(&set, &OpinionOptions { stop, ..parts() }, ask, |_| {}) {
            Ok(card) => break card,
            Err(OpinionError::Interrupted) => {}
            Err(error) => panic!("{error}"),
        }
    };
    assert!(runs > 2);
    assert_eq!((pieces.rows, pieces.fingerprint), (whole.rows, whole.fingerprint));
}

#[test]
fn samples_carry_what_the_teacher_said_beside_what_happened() {
    let folder = tempfile::tempdir().unwrap();
    let set = dataset(folder.path());
    collect_opinions(&set, &OpinionOptions { sample: 64, ..options(0.0) }, teacher, |_| {}).unwrap();
    let taught = samples(&set, "taught", 0.6);
    assert_eq!(taught.len(), 64, "nothing but what was asked about");
    for sample in &taught {
        let said = sample.teacher.as_ref().unwrap();
        let first = PackedMove::from(sample.moment.legal_moves()[0]);
        assert_eq!(said.moves[0].0, first);
        assert!((said.moves[0].1 - 0.75).abs() < 1e-4 && said.share == 0.6, "{said:?}");
        let own = sample.moment.turn().fold_wb(1500.0, 1600.0);
        assert!((said.wdl.unwrap().win() - own / 3000.0).abs() < 1e-4);
    }
    let all = samples(&set, "all", 0.6);
    assert_eq!(all.iter().filter(|sample| sample.teacher.is_some()).count(), 64);
    assert!(all.len() > 64);
}

#[test]
fn players_who_were_imagined_stand_in_the_moment_and_their_game_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let set = dataset(folder.path());
    collect_opinions(&set, &options(1.0), teacher, |_| {}).unwrap();
    let taught = samples(&set, "taught", 0.6);
    let mut ratings = std::collections::HashSet::new();
    for sample in &taught {
        let own = sample.moment.players.unwrap().of(sample.moment.turn()).unwrap();
        ratings.insert(own);
        let said = sample.teacher.as_ref().unwrap();
        assert!((said.wdl.unwrap().win() - f32::from(own) / 3000.0).abs() < 1e-4);
        assert_eq!((said.share, sample.spent_cs), (1.0, None));
    }
    assert!(ratings.len() > 50, "{}", ratings.len());
}

#[test]
fn another_recipe_and_a_second_beginning_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let set = dataset(folder.path());
    collect_opinions(&set, &options(0.0), teacher, |_| {}).unwrap();
    let again = collect_opinions(&set, &options(0.0), teacher, |_| {});
    assert!(matches!(again, Err(OpinionError::Exists(_))));
    let other = collect_opinions(&set, &OpinionOptions { resume: true, ..options(0.5) }, teacher, |_| {});
    assert!(matches!(other, Err(OpinionError::OtherRecipe(_))));
    let mute = |moments: &[Moment]| vec![Opinion::default(); moments.len()];
    let named = OpinionOptions { name: "mute".to_owned(), ..options(0.0) };
    assert!(matches!(collect_opinions(&set, &named, mute, |_| {}), Err(OpinionError::NoPolicy)));
    assert!(OpinionCard::read(&set, "mute").unwrap().is_none());
}
