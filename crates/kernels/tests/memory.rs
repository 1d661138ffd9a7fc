//! Alone in its process, whose memory it measures.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

/// Pages of this process in memory.
fn resident_megabytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a line for it");
    line.split_whitespace().nth(1).and_then(|number| number.parse::<usize>().ok()).expect("a number") / 1024
}

#[test]
fn what_was_freed_goes_back_to_the_system() {
    assert!(kernels::memory::give_back());
    // Small pieces, as trees are made of; every thousandth stays.
    let mut pieces: Vec<Option<Vec<u8>>> = (0..400_000).map(|_| Some(vec![1; 400])).collect();
    let full = resident_megabytes();
    let free = |(at, piece): (usize, &mut Option<Vec<u8>>)| {
        if at % 1000 != 0 {
            *piece = None;
        }
    };
    pieces.iter_mut().enumerate().for_each(free);
    kernels::memory::trim();
    let left = resident_megabytes();
    assert!(full > 150 && left < full - 100, "{full} MB, then {left} MB");
}
