//! The program itself as a bot, for as long as wanted: ten games at once against the server of the tests, connections cut at random.
//!
//! `TABIYA_LICHESS_PROGRAM=target/release/tabiya TABIYA_LICHESS_MINUTES=60 cargo test -p lichess --test life soak -- --ignored --nocapture`

use std::{
    env, fs,
    io::{Read, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::server::{Faults, Plan, Server, TOKEN};

use super::plan;

const GAMES_AT_ONCE: usize = 10;
/// Memory of the first minutes is for tables and networks.
const WARM: f64 = 0.3;

/// Cuts, slow lines and failures, but no 429: after one the bot is silent for a minute, which no clock of this trial would survive.
fn faults() -> Faults {
    Faults { too_many: 0, fails_before: 5, fails_after: 5, slow: 40, cut: 20, twice: 50, seed: 11, count: 0 }
}

fn settings(address: &str) -> String {
    format!(
        "url = \"http://{address}\"\n[challenges]\ngames_at_once = {GAMES_AT_ONCE}\ngames_a_day = 0\n\
         [play]\nresign = false\ntakebacks = 1\n"
    )
}

/// Kilobytes in memory.
fn resident(child: &Child) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

fn command_line(child: &Child) -> String {
    fs::read_to_string(format!("/proc/{}/cmdline", child.id())).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a program and minutes"]
async fn a_soak_of_the_program_loses_no_game_and_grows_no_memory() {
    let program =
        PathBuf::from(env::var("TABIYA_LICHESS_PROGRAM").expect("TABIYA_LICHESS_PROGRAM names a program"));
    let minutes: f64 =
        env::var("TABIYA_LICHESS_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(20.0);
    let (server, address) = Server::start(faults()).await;
    let folder = env::temp_dir().join(format!("tabiya-soak-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (config, heard) = (folder.join("lichess.toml"), folder.join("heard"));
    fs::write(&config, settings(&address.to_string())).unwrap();
    let mut child = Command::new(program)
        .args(["lichess", "--config"])
        .arg(&config)
        .env("LICHESS_TOKEN", TOKEN)
        .env("TABIYA_LOG", "debug")
        .stdin(Stdio::null())
        .stdout(fs::File::create(&heard).unwrap())
        .stderr(fs::File::create(heard.with_extension("log")).unwrap())
        .spawn()
        .unwrap();
    let (started, mut number) = (Instant::now(), 0);
    let mut memory = Vec::new();
    let secret = TOKEN.trim_start_matches("lip_");
    while started.elapsed().as_secs_f64() < 60.0 * minutes {
        {
            let world = server.world();
            let open = world.games.values().filter(|game| game.is_running()).count() + world.challenges.len();
            drop(world);
            for _ in open..GAMES_AT_ONCE {
                server.challenge(&format!("soak{number}"), game(number));
                number += 1;
            }
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(child.try_wait().unwrap().is_none(), "the program ended by itself");
        assert!(!command_line(&child).contains(secret), "the token in the list of processes");
        memory.push(resident(&child));
        if memory.len() % 15 == 0 {
            let _ = writeln!(
                std::io::stderr(),
                "{:.0} s: {number} games, {} kB",
                started.elapsed().as_secs_f64(),
                memory[memory.len() - 1]
            );
        }
    }
    // The first Ctrl-C lets games end.
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let ending = Instant::now();
    while child.try_wait().unwrap().is_none() && ending.elapsed() < Duration::from_secs(900) {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let status = child.try_wait().unwrap();
    let mut told = fs::read_to_string(&heard).unwrap();
    fs::File::open(heard.with_extension("log")).unwrap().read_to_string(&mut told).unwrap();
    let world = server.world();
    let late: Vec<_> = world.games.iter().filter(|(_, game)| game.status == "outoftime").collect();
    let lost: Vec<_> =
        late.iter().filter(|(_, game)| game.winner != Some(game.plan.us)).map(|(id, _)| id).collect();
    let open = world.games.values().filter(|game| game.is_running()).count();
    let plies: usize = world.games.values().map(|game| game.moves.len()).sum();
    let third = (WARM * memory.len() as f64) as usize;
    let (early, end) =
        (memory[third..].iter().take(30).max().unwrap(), memory.iter().rev().take(30).max().unwrap());
    let _ = writeln!(
        std::io::stderr(),
        "{} games, {plies} plies, {} faults, {} lost on time, {open} left open, {early} kB early and {end} kB at the end",
        world.games.len(),
        world.faults.count,
        lost.len(),
    );
    assert!(!told.contains(secret), "the token is told");
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
    assert_eq!((lost, open), (Vec::new(), 0));
    assert!(*end < early + early / 10, "memory grows: {early} kB, then {end} kB");
    drop(world);
    fs::remove_dir_all(&folder).unwrap();
}

/// Real games on real clocks, which end by themselves at some ply or by their rules.
fn game(number: usize) -> Plan {
    Plan {
        base_ms: 60_000,
        increment_ms: 1_000,
        at_ply: 40 + 7 * (number % 13),
        patience: Duration::from_secs(5),
        ..plan(number)
    }
}
