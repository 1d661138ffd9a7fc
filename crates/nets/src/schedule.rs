//! The learning rate over a run: a straight rise, then half a cosine down.

/// Share of the peak rate at `step` of `steps`, ending at `last`.
pub(crate) fn share(step: u64, warmup: u64, steps: u64, last: f64) -> f64 {
    if step < warmup {
        return (step + 1) as f64 / warmup as f64;
    }
    let done = (step - warmup) as f64 / (steps.saturating_sub(warmup)).max(1) as f64;
    last + (1.0 - last) * 0.5 * (1.0 + (std::f64::consts::PI * done.min(1.0)).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_to_the_peak_and_falls_to_the_last_share() {
        assert_eq!(share(0, 10, 110, 0.1), 0.1);
        assert_eq!(share(9, 10, 110, 0.1), 1.0);
        assert_eq!(share(10, 10, 110, 0.1), 1.0);
        assert!((share(60, 10, 110, 0.1) - 0.55).abs() < 1e-12);
        assert!((share(110, 10, 110, 0.1) - 0.1).abs() < 1e-12);
        assert!((share(999, 10, 110, 0.1) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_run_without_warm_up_begins_at_the_peak() {
        assert_eq!(share(0, 0, 100, 0.0), 1.0);
    }
}
