//! What more training would bring, by the curve so far.

/// The deciding figure at ten times the samples, by two readings of the curve: one that may be too cautious and one that is too
/// hopeful. Neither knows of a schedule that lowers the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// `limit - b x samples^-c`, fitted: nears a limit.
    pub power_law: f64,
    /// A straight line over doublings: never ends.
    pub straight: f64,
    /// What the straight line gains with every doubling.
    pub per_doubling: f64,
}

/// Points that a fit needs.
const FEWEST: usize = 4;

/// Fits the later part of a curve of (samples, hours, figure): the first eighth of the samples tells of the beginning only.
pub fn forecast(curve: &[(u64, f64, f64)]) -> Option<Forecast> {
    let most = curve.iter().map(|point| point.0).max()?;
    let points: Vec<(f64, f64)> = curve
        .iter()
        .filter(|point| 8 * point.0 >= most && point.0 > 0)
        .map(|&(x, _, y)| (x as f64, y))
        .collect();
    if points.len() < FEWEST {
        return None;
    }
    let aim = 10.0 * most as f64;
    let (start, slope, _) = line(points.iter().map(|&(x, y)| (x.log2(), y)))?;
    let laws = (1..=40).filter_map(|step| {
        let power = -0.025 * f64::from(step);
        let (limit, factor, error) = line(points.iter().map(|&(x, y)| (x.powf(power), y)))?;
        Some((error, limit + factor * aim.powf(power)))
    });
    let (_, power_law) = laws.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Forecast { power_law, straight: start + slope * aim.log2(), per_doubling: slope })
}

/// Start, slope and squared error of the line that fits best.
fn line(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<(f64, f64, f64)> {
    let count = points.clone().count() as f64;
    let mean = |of: fn((f64, f64)) -> f64| points.clone().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread = points.clone().map(|point| (point.0 - x).powi(2)).sum::<f64>();
    let slope = points.clone().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / spread;
    let start = y - slope * x;
    let error = points.map(|point| (start + slope * point.0 - point.1).powi(2)).sum();
    slope.is_finite().then_some((start, slope, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(of: impl Fn(f64) -> f64) -> Vec<(u64, f64, f64)> {
        (1..=40).map(|i| (250_000 * i, 0.1 * i as f64, of(250_000.0 * i as f64))).collect()
    }

    #[test]
    fn a_curve_of_either_kind_is_continued() {
        let straight = forecast(&curve(|samples| 0.2 + 0.012 * samples.log2())).unwrap();
        let expected = 0.2 + 0.012 * 1e8f64.log2();
        assert!((straight.straight - expected).abs() < 1e-9 && (straight.per_doubling - 0.012).abs() < 1e-9);
        let law = |samples: f64| 0.55 - 20.0 * samples.powf(-0.4);
        let bending = forecast(&curve(law)).unwrap();
        assert!((bending.power_law - law(1e8)).abs() < 1e-6, "{bending:?}");
        assert!(bending.straight > bending.power_law, "a line takes no notice of a limit");
    }

    #[test]
    fn a_few_points_tell_nothing() {
        assert_eq!(forecast(&[]), None);
        assert_eq!(forecast(&[(100, 0.0, 0.1), (200, 0.0, 0.2), (300, 0.0, 0.3)]), None);
        assert_eq!(forecast(&[(100, 0.0, 0.1); 9]), None, "one place makes no line");
    }
}
