//! The sampler gives the same samples whatever happens around it.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use std::{collections::HashSet, path::Path};

use data::{
    Dataset, ImportOptions, LabelOptions, Labels, Limit, Policy, Sample, Sampler, SamplerOptions,
    SamplerState, Split, import, label,
};

/// Legal games that differ: shuffling knights for longer and longer before a short line.
fn dataset(folder: &Path, games: usize) -> Dataset {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ";
    let text: String = (0..games)
        .map(|n| {
            let line = format!("{}e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", shuffle.repeat(n % 7));
            let moves: String = line
                .split_whitespace()
                .map(|san| format!("{san} {{ [%eval 0.{}] [%clk 0:00:{:02}] }} ", n % 90 + 10, 59 - n % 50))
                .collect();
            format!(
                "[Event \"x\"]\n[Site \"https://lichess.org/game{n:04}\"]\n[Result \"1-0\"]\n[WhiteElo \"1500\"]\n[White \"regular\"]\n[Black \"guest{n}\"]\n\
                [BlackElo \"1900\"]\n[TimeControl \"60+0\"]\n\n{moves}1-0\n\n"
            )
        })
        .collect();
    std::fs::write(folder.join("games.pgn"), text).unwrap();
    let options = ImportOptions { shard_games: 50, chunk_bytes: 4_000, ..ImportOptions::default() };
    import(&[folder.join("games.pgn")], &folder.join("set"), &options, |_| {}).unwrap();
    Dataset::open(&folder.join("set")).unwrap()
}

fn options(threads: usize, policy: &str) -> SamplerOptions {
    let policy = Policy::named(policy).unwrap();
    SamplerOptions {
        threads,
        batch: 33,
        pool: 500,
        epochs: 2,
        ..SamplerOptions::new(policy, Some(Split::Train), 7)
    }
}

fn trace(sample: &Sample) -> (String, u16, String, Option<u32>) {
    (sample.game.id.clone(), sample.ply, sample.moment.uci(sample.played), sample.spent_cs)
}

fn all(sampler: Sampler) -> Vec<(String, u16, String, Option<u32>)> {
    sampler.flat_map(|batch| batch.unwrap().iter().map(trace).collect::<Vec<_>>()).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_samples_and_every_position_once_an_epoch() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), 200);
    let one = all(Sampler::new(&dataset, &options(1, "all")));
    assert_eq!(one, all(Sampler::new(&dataset, &options(5, "all"))));
    let (first, second) = one.split_at(one.len() / 2);
    let places = |part: &[(String, u16, String, Option<u32>)]| -> HashSet<_> {
        part.iter().map(|(id, ply, ..)| (id.clone(), *ply)).collect()
    };
    assert_eq!(places(first), places(second));
    assert_eq!(places(first).len(), first.len());
    assert_ne!(first, second, "epochs differ in order");
    let neighbours = one.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
    assert!(neighbours * 100 < one.len(), "{neighbours} neighbours of {} share a game", one.len());
}

#[test]
fn a_saved_state_goes_on_with_the_very_next_sample() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), 120);
    let calm = all(Sampler::new(&dataset, &options(2, "all")));
    for batches in [1, 4, 20] {
        let mut sampler = Sampler::new(&dataset, &options(3, "all"));
        let mut seen: Vec<_> =
            (0..batches).flat_map(|_| sampler.next().unwrap().unwrap()).map(|s| trace(&s)).collect();
        let state = serde_json::to_string(sampler.state()).unwrap();
        let state: SamplerState = serde_json::from_str(&state).unwrap();
        seen.extend(all(Sampler::resume(&dataset, &options(1, "all"), state).unwrap()));
        assert!(seen == calm, "after {batches} batches");
    }
}

#[test]
fn a_table_that_cannot_be_read_is_told_to_whoever_resumes_past_it() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), 120);
    let mut sampler = Sampler::new(&dataset, &options(1, "all"));
    let batches = sampler.by_ref().take(12).filter(Result::is_ok).count();
    assert_eq!(batches, 12);
    let state = sampler.state().clone();
    drop(sampler);
    for shard in &dataset.card.shards {
        std::fs::write(dataset.folder.join(&shard.file), "nothing").unwrap();
    }
    let mut resumed = Sampler::resume(&dataset, &options(1, "all"), state).unwrap();
    assert!(matches!(resumed.next(), Some(Err(_))), "an error is no end of the samples");
}

#[test]
fn a_state_of_another_policy_or_seed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), 20);
    let state = Sampler::new(&dataset, &options(1, "all")).state().clone();
    assert!(Sampler::resume(&dataset, &options(1, "graph"), state.clone()).is_err());
    assert!(Sampler::resume(&dataset, &SamplerOptions { seed: 8, ..options(1, "all") }, state).is_err());
}

#[test]
fn splits_share_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), 300);
    let ids = |split: Split| -> HashSet<String> {
        let options = SamplerOptions { split: Some(split), epochs: 1, ..options(2, "all") };
        all(Sampler::new(&dataset, &options)).into_iter().map(|sample| sample.0).collect()
    };
    let parts = Split::ALL.map(ids);
    assert_eq!(parts.iter().map(HashSet::len).sum::<usize>(), 300);
    assert!(parts.iter().all(|part| !part.is_empty()));
    assert!(
        parts[0].is_disjoint(&parts[1]) && parts[0].is_disjoint(&parts[2]) && parts[1].is_disjoint(&parts[2])
    );
}

#[test]
fn a_split_by_position_shares_games_and_no_position() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(folder.path(), 200);
    let of = |split| -> HashSet<(String, u16)> {
        let usual = options(2, "deepchess-by-position");
        let mut policy = usual.policy.clone();
        (policy.positions.first_ply, policy.positions.per_game) = (0, 0);
        let options = SamplerOptions { policy, split: Some(split), epochs: 1, ..usual };
        all(Sampler::new(&data, &options)).into_iter().map(|(game, ply, ..)| (game, ply)).collect()
    };
    let (train, test) = (of(Split::Train), of(Split::Test));
    assert!(train.is_disjoint(&test) && test.len() > 50 && train.len() > 10 * test.len());
    let games: HashSet<&String> = train.iter().map(|(game, _)| game).collect();
    assert!(test.iter().all(|(game, _)| games.contains(game)));
}

#[test]
fn an_account_counts_as_no_more_than_so_many_games() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), 200);
    let draw = |most: u32, threads: usize| {
        let mut options = SamplerOptions { epochs: 1, ..options(threads, "all") };
        options.policy.positions.per_account = most;
        all(Sampler::new(&dataset, &options))
    };
    let by_white = |samples: &[(String, u16, String, Option<u32>)]| {
        samples.iter().filter(|sample| sample.1 % 2 == 0).count() as f64
    };
    let (whole, capped) = (draw(0, 2), draw(20, 2));
    let games = whole.iter().map(|sample| &sample.0).collect::<HashSet<_>>().len() as f64;
    let share = by_white(&capped) / by_white(&whole);
    assert!((share / (20.0 / games) - 1.0).abs() < 0.3, "{share} of White's moves in {games} games");
    let by_black = |samples: &[(String, u16, String, Option<u32>)]| samples.len() as f64 - by_white(samples);
    assert_eq!(by_black(&capped), by_black(&whole), "each of Black's players plays once");
    assert_eq!(capped, draw(20, 5), "threads change nothing");
}

#[test]
fn every_policy_draws_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), 200);
    let draw =
        |policy: &str| all(Sampler::new(&dataset, &SamplerOptions { epochs: 1, ..options(2, policy) }));
    let per_game = |samples: &[(String, u16, String, Option<u32>)]| {
        samples.iter().map(|s| &s.0).collect::<HashSet<_>>().len()
    };
    let batch_first = draw("batch-first");
    assert_eq!(per_game(&batch_first), batch_first.len());
    assert!(batch_first.iter().all(|sample| sample.1 >= 6));
    assert!(draw("deepchess").iter().all(|sample| sample.1 >= 10));
    assert!(draw("graph").iter().all(|sample| sample.1 >= 7));
    let nothing = Sampler::new(&dataset, &options(1, "recycler")).next().unwrap();
    assert!(nothing.unwrap_err().to_string().contains("recycler"));
}

#[test]
fn a_window_ends_with_the_present_position() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), 20);
    let batch = Sampler::new(&dataset, &options(1, "graph")).next().unwrap().unwrap();
    for sample in batch {
        let window = sample.window(8);
        assert_eq!(window.len(), 8);
        assert_eq!(*window[7], sample.moment.position);
    }
}

#[test]
fn evaluations_of_the_games_become_labels_without_an_engine() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), 40);
    let label_options = LabelOptions {
        name: "pgn".to_owned(),
        engine: None,
        limit: Limit::Depth(1),
        multipv: 1,
        keep_memory: false,
        evals: true,
        policy: Policy::named("all").unwrap(),
        split: None,
        seed: 0,
        sample: 0,
        part: None,
        engines: 1,
        patience: std::time::Duration::from_secs(1),
        resume: false,
        stop: Default::default(),
    };
    let (card, _) = label(&dataset.folder, &label_options, |_| {}).unwrap();
    assert_eq!(card.rows, card.from_evals);
    assert_eq!(
        card.rows,
        dataset.card.plies - dataset.card.games,
        "all positions but the first of each game"
    );
    assert!(label(&dataset.folder, &label_options, |_| {}).is_err(), "an existing set needs --resume");
    let labels = Labels::read(&dataset.folder, "pgn").unwrap();
    let with_labels = SamplerOptions { labels: Some(labels.into()), ..options(1, "all") };
    let batch = Sampler::new(&dataset, &with_labels).next().unwrap().unwrap();
    assert!(batch.iter().filter(|sample| sample.ply > 0).all(|sample| sample.label.is_some()));
}
