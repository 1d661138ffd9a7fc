//! Garbage for everything that reads: `cargo run -p data --example fuzz -- --minutes 60 --seed 1 [--only TARGET] [--case N]`.
//!
//! Cases are made from valid inputs by a seeded generator, so that seed and number name a case. A case fails by a panic
//! outside of the Parquet libraries, by a broken promise (see `targets`), by a minute without an answer or by too much memory. What
//! failed is kept as a file in the temporary folder. Exit code 1 if anything did.

mod memory;
mod mutate;
mod seeds;
mod targets;

use std::{
    fs,
    panic::{self, AssertUnwindSafe},
    path::Path,
    process,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use data::Random;

use self::targets::TARGETS;

const PATIENCE: Duration = Duration::from_secs(60);
const MOST_MEMORY_MIB: u64 = 512;
/// Cases begun so far: what the watchdog looks at.
static BEGUN: AtomicU64 = AtomicU64::new(0);
static PANIC: Mutex<Option<String>> = Mutex::new(None);

fn main() {
    let (minutes, seed) = (number("--minutes").unwrap_or(1), number("--seed").unwrap_or(1));
    let only = word("--only");
    let one = number("--case");
    panic::set_hook(Box::new(|info| {
        let file = info.location().map_or("", |place| place.file());
        // Reads of tables are guarded: their libraries assert what damaged files break.
        let library = ["/parquet-", "/arrow-"].iter().any(|part| file.contains(part));
        if !library && let Ok(mut panic) = PANIC.lock() {
            panic.get_or_insert(info.to_string());
        }
    }));
    let folder = std::env::temp_dir().join(format!("tabiya-fuzz-{seed}"));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let running = folder.join("running");
    thread::spawn(move || watch(&running));

    let (started, mut failures) = (Instant::now(), 0);
    let mut tally = vec![(0u64, Duration::ZERO, 0u64); TARGETS.len()];
    for case in one.unwrap_or(0).. {
        if started.elapsed() >= Duration::from_secs(60 * minutes) {
            break;
        }
        let mut random = Random::keyed(seed, case);
        // Every second case is an import: it has the most code.
        let index = if random.chance(0.5) { 0 } else { random.below(TARGETS.len()) };
        let (name, make, run) = &TARGETS[index];
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let input = make(&mut random);
        // A crash of the whole process leaves this file behind.
        fs::write(folder.join("running"), &input).expect("a temporary folder");
        BEGUN.fetch_add(1, Ordering::Relaxed);
        memory::forget_peak();
        let begun = Instant::now();
        let work = folder.join("work");
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| run(&input, &mut random, &work)));
        let (spent, peak) = (begun.elapsed(), memory::peak_mib());
        let panicked = PANIC.lock().ok().and_then(|mut panic| panic.take());
        let failure = match outcome {
            _ if panicked.is_some() => panicked,
            Err(_) => Some("panic".to_owned()),
            Ok(Err(broken)) => Some(broken),
            Ok(Ok(())) => (peak > MOST_MEMORY_MIB).then(|| format!("{peak} MiB")),
        };
        if let Some(failure) = failure {
            failures += 1;
            let kept = folder.join(format!("{name}-{case}"));
            fs::write(&kept, &input).expect("a temporary folder");
            println!("{name} case {case} ({} bytes): {failure}", input.len());
        }
        let row = &mut tally[index];
        *row = (row.0 + 1, row.1.max(spent), row.2.max(peak));
        let _ = fs::remove_dir_all(&work);
        if one.is_some() {
            break;
        }
    }
    let cases: u64 = tally.iter().map(|row| row.0).sum();
    for ((name, ..), (cases, slowest, peak)) in TARGETS.iter().zip(tally) {
        println!("{name:<12}{cases:>10} cases, slowest {:>6} ms, peak {peak:>4} MiB", slowest.as_millis());
    }
    println!("{cases} cases in {} s with seed {seed}: {failures} failures", started.elapsed().as_secs());
    process::exit(i32::from(failures > 0));
}

/// Ends the program when one case takes too long; its input stays in the file `running`.
fn watch(running: &Path) {
    let mut last = BEGUN.load(Ordering::Relaxed);
    loop {
        thread::sleep(PATIENCE);
        let now = BEGUN.load(Ordering::Relaxed);
        if now == last && now > 0 {
            println!("a case hangs: {}", running.display());
            process::exit(1);
        }
        last = now;
    }
}

fn word(flag: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != flag).nth(1)
}

fn number(flag: &str) -> Option<u64> {
    word(flag).and_then(|word| word.parse().ok())
}
