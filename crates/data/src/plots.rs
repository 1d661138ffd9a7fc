//! The figures of a dataset as SVG, before and after balancing.

use std::{collections::BTreeMap, error::Error, fs, path::Path};

use plotters::prelude::*;

use crate::{
    Comparison,
    chart::{CAPTION, COLORS, MARGIN, NEUTRAL, SMALL},
    stats::{CLOCK_BINS, Histogram, PAIR_BIN, Stats, THINK_BINS},
    storage,
};

type Drawn = Result<(), Box<dyn Error + Send + Sync>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

const SIZE: (u32, u32) = (960, 400);
const BEFORE: RGBColor = COLORS[0];
const AFTER: RGBColor = COLORS[1];
/// Bars that a figure has room for.
const MOST_BARS: usize = 24;

/// Writes one SVG per figure into `folder`.
pub fn plot(comparison: &Comparison, folder: &Path) -> Drawn {
    if storage::is_address(folder) {
        let drawn = tempfile::tempdir()?;
        plot(comparison, drawn.path())?;
        for name in storage::names(drawn.path())? {
            storage::write(&folder.join(&name), &fs::read(drawn.path().join(&name))?)?;
        }
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let Comparison { before, after, .. } = comparison;
    let numbers = |of: fn(&Stats) -> &Histogram| (number_bars(of(before)), number_bars(of(after)));
    let bins = |bounds: &'static [f64], of: fn(&Stats) -> &Histogram| {
        (bin_bars(of(before), bounds), bin_bars(of(after), bounds))
    };
    let largest = |of: fn(&Stats) -> &BTreeMap<String, u64>| {
        let order = largest(of(before));
        (named_bars(of(before), &order), named_bars(of(after), &order))
    };
    let figures = [
        ("ratings", "Rating of the player to move", numbers(|stats| &stats.ratings)),
        ("plies", "Ply", numbers(|stats| &stats.plies)),
        ("increments", "Increment in seconds", numbers(|stats| &stats.increments)),
        ("clocks", "Clock left in seconds, from", bins(&CLOCK_BINS, |stats| &stats.clocks)),
        ("think", "Time spent on the move in seconds, from", bins(&THINK_BINS, |stats| &stats.think)),
        ("controls", "Time control, the most frequent", largest(|stats| &stats.controls)),
        ("openings", "Opening (ECO), the most frequent", largest(|stats| &stats.openings)),
    ];
    for (name, title, (left, right)) in figures {
        let path = folder.join(format!("{name}.svg"));
        let root = SVGBackend::new(&path, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (first, second) = root.split_horizontally(SIZE.0 / 2);
        bars(&first, &format!("{title}: before"), &left, BEFORE)?;
        bars(&second, "after balancing", &right, AFTER)?;
        root.present()?;
    }
    let path = folder.join("pairs.svg");
    let root = SVGBackend::new(&path, (SIZE.0, SIZE.0 / 2)).into_drawing_area();
    root.fill(&WHITE)?;
    let (first, second) = root.split_horizontally(SIZE.0 / 2);
    heat_map(&first, "Rating of mover and opponent (log scale): before", &before.pairs)?;
    heat_map(&second, "after balancing", &after.pairs)?;
    root.present()?;
    outcomes(&folder.join("outcomes.svg"), before)
}

type Bars = Vec<(String, u64)>;

fn number_bars(histogram: &Histogram) -> Bars {
    histogram.iter().take(40).map(|(bin, count)| (bin.to_string(), *count)).collect()
}

fn bin_bars(histogram: &Histogram, bounds: &[f64]) -> Bars {
    let count = |at: usize| histogram.get(&(at as i64)).copied().unwrap_or(0);
    bounds.iter().enumerate().map(|(at, bound)| (bound.to_string(), count(at))).collect()
}

fn largest(counts: &BTreeMap<String, u64>) -> Vec<String> {
    let mut names: Vec<_> = counts.iter().collect();
    names.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
    names.into_iter().take(MOST_BARS).map(|(name, _)| name.clone()).collect()
}

fn named_bars(counts: &BTreeMap<String, u64>, order: &[String]) -> Bars {
    order.iter().map(|name| (name.clone(), counts.get(name).copied().unwrap_or(0))).collect()
}

fn bars(area: &Area<'_>, title: &str, bars: &Bars, color: RGBColor) -> Drawn {
    let highest = bars.iter().map(|bar| bar.1).max().unwrap_or(0).max(1) as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(title, CAPTION)
        .margin(MARGIN)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..bars.len().max(1) as f64, 0.0..1.05 * highest)?;
    let label = |x: &f64| match bars.get(*x as usize) {
        Some((name, _)) if x.fract() == 0.0 => name.clone(),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(WHITE)
        .x_labels(MOST_BARS.min(bars.len()) + 1)
        .x_label_formatter(&label)
        .x_label_style(SMALL.into_font().transform(FontTransform::Rotate90))
        .y_label_formatter(&|y: &f64| short(*y))
        .draw()?;
    chart.draw_series(bars.iter().enumerate().map(|(at, (_, count))| {
        Rectangle::new([(at as f64 + 0.08, 0.0), (at as f64 + 0.92, *count as f64)], color.filled())
    }))?;
    Ok(())
}

/// 1234567 as `1.2M`.
fn short(number: f64) -> String {
    match number {
        n if n >= 1e6 => format!("{:.1}M", n / 1e6),
        n if n >= 1e3 => format!("{:.0}k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

fn heat_map(area: &Area<'_>, title: &str, pairs: &BTreeMap<(i64, i64), u64>) -> Drawn {
    let ends = pairs.keys().flat_map(|&(mover, opponent)| [mover, opponent]);
    let (low, high) = (ends.clone().min().unwrap_or(0), ends.max().unwrap_or(0) + PAIR_BIN);
    let most = pairs.values().copied().max().unwrap_or(1) as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(title, CAPTION)
        .margin(MARGIN)
        .x_label_area_size(32)
        .y_label_area_size(48)
        .build_cartesian_2d(low..high, low..high)?;
    chart.configure_mesh().disable_mesh().x_desc("mover").y_desc("opponent").draw()?;
    chart.draw_series(pairs.iter().map(|(&(mover, opponent), &count)| {
        let heat = (count as f64).ln_1p() / most.ln_1p();
        let color = HSLColor(0.68 * (1.0 - heat), 0.75, 0.9 - 0.45 * heat);
        Rectangle::new([(mover, opponent), (mover + PAIR_BIN, opponent + PAIR_BIN)], color.filled())
    }))?;
    Ok(())
}

/// Shares of wins, draws and losses of White, stacked, by rating difference.
fn outcomes(path: &Path, stats: &Stats) -> Drawn {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let step = crate::stats::RATING_BIN;
    let shown: Vec<_> = stats.outcomes.iter().filter(|(difference, _)| difference.abs() <= 800).collect();
    let mut chart = ChartBuilder::on(&root)
        .caption("Games won (green), drawn (grey) and lost (red) by White, by rating difference", CAPTION)
        .margin(MARGIN)
        .x_label_area_size(32)
        .y_label_area_size(48)
        .build_cartesian_2d(-800i64..900, 0.0..1.0)?;
    chart.configure_mesh().disable_x_mesh().x_desc("White's rating less Black's").draw()?;
    let colors = [COLORS[2], NEUTRAL, COLORS[3]];
    chart.draw_series(shown.iter().flat_map(|&(&difference, counts)| {
        let total = counts.iter().sum::<u64>().max(1) as f64;
        let mut floor = 0.0;
        counts.iter().zip(colors).map(move |(&count, color)| {
            let bottom = floor;
            floor += count as f64 / total;
            Rectangle::new([(difference + 5, bottom), (difference + step - 5, floor)], color.filled())
        })
    }))?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_drawn_for_full_and_empty_datasets() {
        let folder = tempfile::tempdir().unwrap();
        let mut full = Comparison::default();
        full.before.ratings = Histogram::from([(1500, 10), (1600, 3)]);
        full.before.pairs = BTreeMap::from([((1400, 1600), 5), ((1600, 1400), 1_000_000)]);
        full.before.openings = BTreeMap::from([("B20".to_owned(), 4)]);
        full.before.outcomes = BTreeMap::from([(-100, [3, 1, 2])]);
        for (name, comparison) in [("full", full), ("empty", Comparison::default())] {
            let out = folder.path().join(name);
            plot(&comparison, &out).unwrap();
            assert_eq!(fs::read_dir(&out).unwrap().count(), 9);
            let text = fs::read_to_string(out.join("pairs.svg")).unwrap();
            assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        }
    }
}
