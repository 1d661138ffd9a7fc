//! One style for all charts: colours, type and margins.

use plotters::style::RGBColor;

/// Colours of series, told apart by most eyes; the first is for what the others are compared to.
pub const COLORS: [RGBColor; 6] = [
    RGBColor(76, 114, 176),
    RGBColor(221, 132, 82),
    RGBColor(85, 168, 104),
    RGBColor(196, 78, 82),
    RGBColor(129, 114, 179),
    RGBColor(150, 150, 150),
];
/// Neither the one nor the other.
pub const NEUTRAL: RGBColor = RGBColor(190, 190, 190);
pub const CAPTION: (&str, i32) = ("sans-serif", 16);
pub const SMALL: (&str, i32) = ("sans-serif", 10);
pub const MARGIN: i32 = 12;

/// The colour of a series by its number.
pub fn color(series: usize) -> RGBColor {
    COLORS[series % COLORS.len()]
}
