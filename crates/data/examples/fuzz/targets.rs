//! What is fed, and what must hold whatever it is fed.

use std::{
    collections::HashSet,
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use chess::Annotation;
use data::{
    Bots, Dataset, DatasetError, Filters, Game, ImportOptions, Labels, Policy, Random, Sampler,
    SamplerOptions, Source, TableReader, import, read_epd, read_puzzles, write_csv, write_pgn,
};

use super::{
    mutate::{mutate, pack},
    seeds,
};

/// A broken promise, in words.
type Outcome = Result<(), String>;
/// Name, maker of an input, and the reader. The reader may use a folder of its own.
pub(crate) type Target = (&'static str, fn(&mut Random) -> Vec<u8>, fn(&[u8], &mut Random, &Path) -> Outcome);

pub(crate) const TARGETS: &[Target] = &[
    ("import", packed_pgn, import_and_check),
    ("comment", comment, |bytes, _, _| {
        let _ = Annotation::parse(bytes);
        Ok(())
    }),
    (
        "epd",
        |random| lines(random, seeds::epd, seeds::EPD_WORDS),
        |bytes, _, _| count(read_epd(source(bytes)?.lines()), bytes),
    ),
    (
        "puzzles",
        |random| lines(random, seeds::puzzles, seeds::CSV_WORDS),
        |bytes, _, _| count(read_puzzles(source(bytes)?.lines()), bytes),
    ),
    (
        "parquet",
        |random| {
            mutate(random, dataset().shard.clone(), &[b"PAR1", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x15\x00"])
        },
        read_table,
    ),
    (
        "labels",
        |random| {
            mutate(
                random,
                dataset().labels.clone(),
                &[b"PAR1", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x15\x00"],
            )
        },
        read_labels,
    ),
    (
        "toml",
        |random| {
            let text = seeds::toml(random);
            mutate(random, text, seeds::TOML_WORDS)
        },
        read_settings,
    ),
    ("card", |random| mutate(random, dataset().card.clone(), seeds::JSON_WORDS), read_card),
];

fn packed_pgn(random: &mut Random) -> Vec<u8> {
    let text = seeds::pgn(random);
    let text = mutate(random, text, seeds::PGN_WORDS);
    pack(random, &text)
}

fn lines(random: &mut Random, seed: fn(&mut Random) -> Vec<u8>, words: &[&[u8]]) -> Vec<u8> {
    let text = seed(random);
    let text = mutate(random, text, words);
    pack(random, &text)
}

fn comment(random: &mut Random) -> Vec<u8> {
    let text = b" [%eval -0.31] [%clk 0:09:58.7] [%emt 0:00:03] [%csl Ra1] ".to_vec();
    mutate(random, text, seeds::PGN_WORDS)
}

fn source(bytes: &[u8]) -> Result<Source, String> {
    Source::new("x".to_owned(), None, Box::new(Cursor::new(bytes.to_vec())))
        .map_err(|error| error.to_string())
}

/// Every item takes at least a byte of what was unpacked; a reader that repeats itself for ever does not.
fn count<T>(items: impl Iterator<Item = T>, bytes: &[u8]) -> Outcome {
    let most = 10_000_000 + bytes.len();
    if items.take(most).count() == most { Err("the reader does not end".to_owned()) } else { Ok(()) }
}

fn options(random: &mut Random) -> ImportOptions {
    let filters = Filters {
        unfinished: random.chance(0.5),
        min_plies: random.below(3) as u32,
        bots: Bots::Keep,
        ..Filters::default()
    };
    ImportOptions {
        filters,
        threads: 1 + random.below(3),
        chunk_bytes: 1 << (6 + random.below(14)),
        shard_games: 1 + random.below(4) as u64,
        ..ImportOptions::default()
    }
}

/// All rows are sound and as the card says, no id is there twice, and the way out to PGN and back loses nothing.
fn import_and_check(bytes: &[u8], random: &mut Random, folder: &Path) -> Outcome {
    fs::create_dir_all(folder).expect("a temporary folder");
    let (path, out, again) = (folder.join("in"), folder.join("out"), folder.join("again"));
    fs::write(&path, bytes).expect("a temporary folder");
    let options = options(random);
    let (tally, card) =
        import(std::slice::from_ref(&path), &out, &options, |_| {}).map_err(|error| error.to_string())?;
    let (mut ids, mut scratch, mut sum, mut pgn, mut csv) =
        (HashSet::new(), Vec::new(), 0u128, Vec::new(), Vec::new());
    let games = games(&out)?;
    for game in &games {
        if !game.is_sound() {
            return Err(format!("{} is not sound", game.id));
        }
        if !ids.insert(game.id.clone()) {
            return Err(format!("{} is there twice", game.id));
        }
        sum = sum.wrapping_add(game.fingerprint(&mut scratch));
        write_pgn(game, &mut pgn).map_err(|error| error.to_string())?;
        let plies: Vec<u16> = (0..game.moves.len() as u16).collect();
        write_csv(game, &plies, &mut csv).map_err(|error| error.to_string())?;
    }
    if card.fingerprint.0 != sum || card.games != games.len() as u64 || tally.kept != card.games {
        return Err(format!(
            "card {} of {} games, rows {sum:032x} of {}",
            card.fingerprint,
            card.games,
            games.len()
        ));
    }
    let path = folder.join("back.pgn");
    fs::write(&path, &pgn).expect("a temporary folder");
    let (_, back) = import(&[path], &again, &options, |_| {}).map_err(|error| error.to_string())?;
    (back.fingerprint == card.fingerprint)
        .then_some(())
        .ok_or_else(|| format!("out and back: {} games became {}", card.games, back.games))
}

fn games(folder: &Path) -> Result<Vec<Game>, String> {
    let mut all = Vec::new();
    let dataset = Dataset::open(folder).map_err(|error| error.to_string())?;
    let read = dataset.for_each_group(|games| {
        all.extend(games);
        Ok::<_, DatasetError>(())
    });
    read.map_err(|error| error.to_string()).map(|()| all)
}

/// A small dataset with labels, and its files as bytes.
struct Whole {
    folder: PathBuf,
    card: Vec<u8>,
    shard: Vec<u8>,
    labels: Vec<u8>,
}

fn dataset() -> &'static Whole {
    static DATASET: OnceLock<Whole> = OnceLock::new();
    DATASET.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("tabiya-fuzz-dataset-{}", std::process::id()));
        let (input, out) = (folder.join("in.pgn"), folder.join("out"));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let mut random = Random::new(7);
        let text: Vec<u8> = (0..20).flat_map(|_| seeds::pgn(&mut random)).collect();
        fs::write(&input, text).expect("a temporary folder");
        import(&[input], &out, &ImportOptions::default(), |_| {}).expect("valid games");
        let evals = data::LabelOptions {
            name: "x".to_owned(),
            engine: None,
            limit: data::Limit::Depth(1),
            multipv: 1,
            keep_memory: false,
            evals: true,
            policy: Policy::named("all").expect("ours"),
            split: None,
            seed: 0,
            sample: 0,
            part: None,
            engines: 1,
            patience: std::time::Duration::from_secs(1),
            resume: false,
            stop: Default::default(),
        };
        data::label(&out, &evals, |_| {}).expect("a valid dataset");
        let bytes = |name: &str| fs::read(out.join(name)).expect("written above");
        Whole {
            card: bytes("dataset.json"),
            shard: bytes("games-00000.parquet"),
            labels: bytes("labels-x-00000.parquet"),
            folder: out,
        }
    })
}

fn copy_dataset(folder: &Path, name: &str, bytes: &[u8]) {
    fs::create_dir_all(folder).expect("a temporary folder");
    for file in ["dataset.json", "games-00000.parquet", "labels-x.json", "labels-x-00000.parquet"] {
        fs::copy(dataset().folder.join(file), folder.join(file)).expect("a temporary folder");
    }
    fs::write(folder.join(name), bytes).expect("a temporary folder");
}

/// Everything that opens a dataset: it may refuse, it may not break.
fn use_dataset(folder: &Path, random: &mut Random) {
    let Ok(dataset) = Dataset::open(folder) else { return };
    let _ = dataset.for_each_group(|games| {
        games.iter().filter(|game| !game.is_sound()).for_each(drop);
        Ok::<_, DatasetError>(())
    });
    let policy = Policy::named("all").expect("ours");
    let _ = data::compare(&dataset, &policy, 0, |_| {});
    let sampling = SamplerOptions { epochs: 1, threads: 1, pool: 64, ..SamplerOptions::new(policy, None, 1) };
    Sampler::new(&dataset, &sampling).take(20).take_while(Result::is_ok).for_each(drop);
    let input = folder.join("more.pgn");
    fs::write(&input, seeds::pgn(random)).expect("a temporary folder");
    let _ =
        import(&[input], folder, &ImportOptions { resume: random.chance(0.5), ..options(random) }, |_| {});
}

fn read_table(bytes: &[u8], random: &mut Random, folder: &Path) -> Outcome {
    copy_dataset(folder, "games-00000.parquet", bytes);
    if let Ok(reader) = TableReader::open(&folder.join("games-00000.parquet")) {
        for group in 0..reader.row_groups().min(100) {
            let _ = reader.read(group);
        }
    }
    use_dataset(folder, random);
    Ok(())
}

fn read_labels(bytes: &[u8], _: &mut Random, folder: &Path) -> Outcome {
    copy_dataset(folder, "labels-x-00000.parquet", bytes);
    let _ = Labels::read(folder, "x");
    Ok(())
}

fn read_card(bytes: &[u8], random: &mut Random, folder: &Path) -> Outcome {
    copy_dataset(folder, "dataset.json", bytes);
    use_dataset(folder, random);
    Ok(())
}

fn read_settings(bytes: &[u8], _: &mut Random, _: &Path) -> Outcome {
    let text = String::from_utf8_lossy(bytes);
    let _ = toml::from_str::<Filters>(&text);
    if let Ok(policy) = Policy::from_toml("x", &text) {
        static GAMES: OnceLock<Vec<Game>> = OnceLock::new();
        for game in GAMES.get_or_init(|| games(&dataset().folder).expect("a valid dataset")) {
            let plies = policy.pick(game, 1, 0, |_| false, |_| false);
            if plies.iter().any(|&ply| usize::from(ply) >= game.moves.len()) {
                return Err("a ply beyond the game".to_owned());
            }
        }
    }
    Ok(())
}
