//! Import and sampler against the bare libraries, on a file of games of your own:
//! `cargo bench -p data --bench pipeline -- games.pgn.zst [import]`. Times are of the CPU, summed over threads, so that a
//! busy machine does not distort the ratios; wall time stands beside them. Rivals take turns, and the best of each counts.
//! python-chess is the rival where the command in the variable PYTHON (else `python3`) has it.

use std::{
    fs,
    hint::black_box,
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Instant,
};

use chess::{
    encoding::hc3,
    shakmaty::{Chess, Position},
};
use data::{
    Bots, Dataset, DatasetError, Filters, ImportOptions, Policy, Sampler, SamplerOptions, Source, import,
};
use pgn_reader::{Reader, SanPlus, Visitor};

fn main() {
    let mut words = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let Some(path) = words.next().map(PathBuf::from) else {
        println!("give a file of games: cargo bench -p data --bench pipeline -- games.pgn.zst");
        return;
    };
    let out = std::env::temp_dir().join(format!("tabiya-bench-{}", std::process::id()));
    compare_import(&path, &out);
    if words.next().is_some_and(|word| word == "import") {
        fs::remove_dir_all(&out).expect("ours");
        return;
    }

    let dataset = Dataset::open(&out).expect("imported above");
    let rounds = 3;
    for name in ["hc3", "all"] {
        let policy = Policy::named(name).expect("a policy of the program");
        let sampled = best(rounds, || sample(&dataset, &policy));
        report(&format!("sampler + HC3 encoding, policy {name}"), "samples", &sampled);
        let replayed = best(rounds, || replay_only(&dataset, &policy));
        report("bare replay of the same plies", "samples", &replayed);
        println!("sampler / bare replay, per core: {:.2}", sampled.per_core() / replayed.per_core());
    }
    fs::remove_dir_all(&out).expect("ours");
    println!("peak memory: {} MiB", peak_memory_mib());
}

fn compare_import(path: &Path, out: &Path) {
    let mut python = None;
    let (mut reader, mut imported) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        reader.push(time(|| read_only(path)));
        imported.push(time(|| import_all(path, out)));
        python = python.max(python_plies_a_second(path));
    }
    let (reader, imported) = (least(reader), least(imported));
    report("pgn-reader + SAN", "plies", &reader);
    report("import", "plies", &imported);
    println!("import / (pgn-reader + SAN), per core: {:.2}", imported.per_core() / reader.per_core());
    match python {
        Some(rate) => {
            println!("python-chess: {rate} plies/s");
            println!("import / python-chess, per core: {:.0}", imported.per_core() / rate as f64);
        }
        None => println!("python-chess: SKIPPED, not installed"),
    }
}

/// The last number that `runs/bench_python_chess.py` prints, which takes CPU time too.
fn python_plies_a_second(path: &Path) -> Option<u64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runs/bench_python_chess.py");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = std::process::Command::new(python).arg(script).arg(path).arg("500").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim_end().strip_suffix(" plies/s")?.rsplit(' ').next()?.parse().ok()
}

struct Timing {
    units: u64,
    wall: f64,
    cpu: f64,
}

impl Timing {
    fn per_core(&self) -> f64 {
        self.units as f64 / self.cpu
    }
}

fn time(work: impl FnOnce() -> u64) -> Timing {
    let (started, cpu) = (Instant::now(), cpu_seconds());
    let units = work();
    Timing { units, wall: started.elapsed().as_secs_f64(), cpu: cpu_seconds() - cpu }
}

fn least(timings: Vec<Timing>) -> Timing {
    timings.into_iter().min_by(|a, b| a.cpu.total_cmp(&b.cpu)).expect("at least one round")
}

fn best(rounds: usize, work: impl Fn() -> u64) -> Timing {
    least((0..rounds).map(|_| time(&work)).collect())
}

fn report(name: &str, unit: &str, timing: &Timing) {
    let (units, wall, cpu) = (timing.units as f64, timing.wall, timing.cpu);
    println!(
        "{name}: {units} {unit}, wall {wall:.2} s ({:.0}/s), CPU {cpu:.2} s ({:.0}/s a core)",
        units / wall,
        units / cpu
    );
}

/// User and system time of this process, in hundredths of a second.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn peak_memory_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) / 1024
}

struct Moves;

impl Visitor for Moves {
    type Tags = ();
    type Movetext = (Chess, u64);
    type Output = u64;

    fn begin_tags(&mut self) -> ControlFlow<u64> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<u64, (Chess, u64)> {
        ControlFlow::Continue((Chess::default(), 0))
    }

    fn san(&mut self, (position, plies): &mut (Chess, u64), san: SanPlus) -> ControlFlow<u64> {
        match san.san.to_move(position) {
            Ok(m) => position.play_unchecked(m),
            Err(_) => return ControlFlow::Break(0),
        }
        *plies += 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_, plies): (Chess, u64)) -> u64 {
        plies
    }
}

fn read_only(path: &Path) -> u64 {
    let read = || -> io::Result<u64> {
        let mut reader = Reader::new(Source::open(path)?);
        let mut plies = 0;
        while let Some(game) = reader.read_game(&mut Moves)? {
            plies += game;
        }
        Ok(plies)
    };
    read().expect("a readable file")
}

fn import_all(path: &Path, out: &Path) -> u64 {
    let _ = fs::remove_dir_all(out);
    let filters = Filters { bots: Bots::Keep, ..Filters::default() };
    let options = ImportOptions { filters, ..ImportOptions::default() };
    import(&[path.to_owned()], out, &options, |_| {}).expect("a readable file").1.plies
}

fn sample(dataset: &Dataset, policy: &Policy) -> u64 {
    let options = SamplerOptions { epochs: 1, batch: 1024, ..SamplerOptions::new(policy.clone(), None, 1) };
    let threads = options.threads;
    // Both cores encode: each takes every second batch, as trainers with several loaders do.
    let batches = std::sync::Mutex::new(Sampler::new(dataset, &options));
    let encode = || {
        let (mut sparse, mut count) = (hc3::Sparse::default(), 0);
        loop {
            let Some(batch) = batches.lock().expect("no panic").next() else { return count };
            for sample in batch.expect("a readable dataset") {
                hc3::encode(&sample.moment, &mut sparse);
                black_box(&sparse);
                count += 1;
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(encode)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).sum()
    })
}

/// For every sample the moves before it are played on a bare board, as the sampler must do.
fn replay_only(dataset: &Dataset, policy: &Policy) -> u64 {
    let mut count = 0;
    let replayed = dataset.for_each_group(|games| {
        for game in games {
            for ply in policy.pick(&game, 1, 0, |_| false, |_| false) {
                let mut position = game.start();
                for packed in &game.moves[..usize::from(ply)] {
                    position.play_unchecked(packed.fit(&position).expect("a stored move"));
                }
                black_box(&position);
                count += 1;
            }
        }
        Ok::<_, DatasetError>(())
    });
    replayed.expect("a readable dataset");
    count
}
