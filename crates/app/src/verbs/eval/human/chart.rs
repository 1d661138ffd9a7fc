//! Accuracy by each variable as SVG: a line for each model, a bar for each interval.

use std::{fs, path::Path};

use anyhow::anyhow;
use data::chart::{CAPTION, MARGIN, color};
use plotters::prelude::*;

use super::report::{Breakdown, Report};

const SIZE: (u32, u32) = (760, 420);

/// Writes one figure for each variable and convention into `folder`.
pub(crate) fn draw(report: &Report, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    for (convention, suffix) in report.conventions.iter().zip(["", "-maia"]) {
        for breakdown in &convention.by {
            let path = folder.join(format!("accuracy-by-{}{suffix}.svg", breakdown.variable));
            let title = format!("Top-1 accuracy by {} ({})", breakdown.title, convention.name);
            figure(&path, &title, breakdown, &report.models).map_err(|error| anyhow!("{error}"))?;
        }
    }
    Ok(())
}

type Drawn = Result<(), Box<dyn std::error::Error + Send + Sync>>;

fn figure(path: &Path, title: &str, breakdown: &Breakdown, models: &[String]) -> Drawn {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let bins = &breakdown.bins;
    let tops = bins.iter().flat_map(|bin| &bin.figures).map(|figures| figures["top1"].high);
    let highest = tops.filter(|high| high.is_finite()).fold(0.1, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .caption(title, CAPTION)
        .margin(MARGIN)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(-0.5..bins.len() as f64 - 0.5, 0.0..(1.1 * highest).min(1.0))?;
    let label = |x: &f64| {
        let near = x.round();
        let bin = if (x - near).abs() < 0.01 && near >= 0.0 { bins.get(near as usize) } else { None };
        bin.map(|bin| bin.label.clone()).unwrap_or_default()
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(WHITE)
        .x_labels(bins.len() + 2)
        .x_label_formatter(&label)
        .y_label_formatter(&|y: &f64| format!("{:.0} %", 100.0 * y))
        .draw()?;
    for (number, model) in models.iter().enumerate() {
        let color = color(number);
        let points = bins.iter().enumerate().map(|(at, bin)| (at as f64, bin.figures[number]["top1"]));
        let points: Vec<_> = points.filter(|(_, top)| top.value.is_finite()).collect();
        let line: Vec<(f64, f64)> = points.iter().map(|(x, top)| (*x, top.value)).collect();
        chart
            .draw_series([PathElement::new(line, color.stroke_width(2))])?
            .label(model)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        let intervals = points.iter().filter(|(_, top)| top.low.is_finite());
        chart
            .draw_series(intervals.map(|&(x, top)| PathElement::new([(x, top.low), (x, top.high)], color)))?;
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3)).draw()?;
    root.present()?;
    Ok(())
}
