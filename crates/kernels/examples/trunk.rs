//! Times one network's trunk: `trunk NETWORK train|infer BATCH [THREADS [SECONDS]]` prints positions a second, by the clock and
//! by CPU time; residual blocks in int8 where networks use it. For profiles, and for comparison with other programs (`runs/bench_pytorch.py`).

use std::time::Duration;

use kernels::{
    Level,
    bench::{Network, Work},
};

fn main() -> Result<(), String> {
    let level = Level::chosen().map_err(|error| error.to_string())?;
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, work, batch, rest @ ..] = &args[..] else {
        return Err("asked for: NETWORK train|infer BATCH [THREADS [SECONDS]]".to_owned());
    };
    let number = |text: &String| text.parse::<usize>().map_err(|_| format!("`{text}` is no number"));
    let network = Network::named(name).ok_or_else(|| format!("no network `{name}`"))?;
    let work = match work.as_str() {
        "train" => Work::Train,
        "infer" if network.has(Work::InferInt8) => Work::InferInt8,
        "infer" => Work::Infer,
        other => return Err(format!("`{other}` is neither train nor infer")),
    };
    let threads = rest.first().map_or(Ok(1), number)?;
    let seconds = rest.get(1).map_or(Ok(2), number)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
    let budget = Duration::from_secs(seconds as u64);
    let batch = number(batch)?;
    let line = pool.install(|| network.measure(level, work, batch, budget));
    println!("{:.2} {:.2}", line.positions_per_second(), batch as f64 / line.cpu_seconds);
    Ok(())
}
