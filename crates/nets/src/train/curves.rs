//! Curves of runs as SVG, one over the other.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use data::chart::{CAPTION, MARGIN, color};
use plotters::prelude::*;
use serde::Deserialize;
use thiserror::Error;

use super::log::FILE;

const SIZE: (u32, u32) = (960, 480);
/// Points of a curve: more cannot be told apart.
const MOST_POINTS: usize = 400;

#[derive(Debug, Error)]
pub enum CurvesError {
    #[error("`{path}`: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("`{0}` holds no validation yet, so there is nothing to draw")]
    Empty(PathBuf),
    #[error("cannot draw `{path}`: {reason}")]
    Draw { path: PathBuf, reason: String },
}

/// What a run's log tells: loss by samples, and every validated figure by samples.
#[derive(Clone, Debug, Default)]
pub struct Curves {
    pub loss: Vec<(f64, f64)>,
    pub figures: std::collections::BTreeMap<String, Vec<(f64, f64)>>,
}

#[derive(Deserialize)]
struct Line {
    samples: Option<f64>,
    loss: Option<f64>,
    figures: Option<std::collections::BTreeMap<String, f64>>,
}

impl Curves {
    /// Reads a run's folder; a last line that was cut off is passed over.
    pub fn read(run: &Path) -> Result<Curves, CurvesError> {
        let path = run.join(FILE);
        let text = fs::read_to_string(&path).map_err(|error| CurvesError::Io { path, error })?;
        let mut curves = Curves::default();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            let Some(samples) = line.samples else { continue };
            if let Some(loss) = line.loss {
                curves.loss.push((samples, loss));
            }
            for (name, value) in line.figures.into_iter().flatten() {
                curves.figures.entry(name).or_default().push((samples, value));
            }
        }
        curves.loss = thinned(&curves.loss);
        if curves.figures.is_empty() { Err(CurvesError::Empty(run.to_owned())) } else { Ok(curves) }
    }
}

/// Means of neighbouring points, so that a noisy curve can be read.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mean = |chunk: &[(f64, f64)]| {
        let len = chunk.len() as f64;
        (
            chunk.iter().map(|point| point.0).sum::<f64>() / len,
            chunk.iter().map(|point| point.1).sum::<f64>() / len,
        )
    };
    points.chunks(points.len().div_ceil(MOST_POINTS).max(1)).map(mean).collect()
}

/// Draws loss and every figure of all runs into `folder`, one SVG each, and returns their paths.
pub fn plot_runs(runs: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>, CurvesError> {
    fs::create_dir_all(folder).map_err(|error| CurvesError::Io { path: folder.to_owned(), error })?;
    let read: Result<Vec<_>, _> = runs.iter().map(|run| Ok((label(run), Curves::read(run)?))).collect();
    let read = read?;
    let mut names: Vec<&String> = read.iter().flat_map(|(_, curves)| curves.figures.keys()).collect();
    names.sort();
    names.dedup();
    let figure = |name: &str| {
        let lines =
            read.iter().filter_map(|(label, curves)| Some((label.as_str(), &curves.figures.get(name)?[..])));
        (name.to_owned(), lines.collect::<Vec<_>>())
    };
    let loss = read.iter().map(|(label, curves)| (label.as_str(), &curves.loss[..])).collect();
    let all =
        std::iter::once(("training loss".to_owned(), loss)).chain(names.into_iter().map(|name| figure(name)));
    all.map(|(title, lines)| {
        let file: String = title.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let path = folder.join(format!("{file}.svg"));
        draw(&path, &title, &lines)
            .map_err(|error| CurvesError::Draw { path: path.clone(), reason: error.to_string() })?;
        Ok(path)
    })
    .collect()
}

fn label(run: &Path) -> String {
    run.file_name().unwrap_or(run.as_os_str()).to_string_lossy().into_owned()
}

/// The names and points of curves.
type Lines<'a> = [(&'a str, &'a [(f64, f64)])];

fn draw(path: &Path, title: &str, lines: &Lines<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let points = || lines.iter().flat_map(|(_, points)| points.iter());
    let most = points().map(|point| point.0).fold(1.0, f64::max);
    let low = points().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let high = points().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
    let room = 0.05 * (high - low).max(1e-3);
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, CAPTION)
        .margin(MARGIN)
        .x_label_area_size(36)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..most, low - room..high + room)?;
    chart
        .configure_mesh()
        .x_desc("samples seen")
        .x_label_formatter(&|samples| format!("{:.1} M", samples / 1e6))
        .light_line_style(WHITE)
        .draw()?;
    for (at, (label, points)) in lines.iter().enumerate() {
        let color = color(at);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?
            .label(*label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3)).draw()?;
    root.present()?;
    Ok(())
}
