//! How many plies less a late move is worth, before its history is heard.

use std::sync::LazyLock;

/// In 1024ths of a ply, by depth and by the number of the move.
static TABLE: LazyLock<Box<[[i32; 64]; 64]>> = LazyLock::new(|| {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (count, cell) in row.iter_mut().enumerate().skip(1) {
            let product = (depth as f64).ln() * (count as f64).ln();
            *cell = (1024.0 * (0.55 + product / 2.15)) as i32;
        }
    }
    table
});

#[inline]
pub(crate) fn reduction(depth: i32, count: i32) -> i32 {
    TABLE[depth.clamp(0, 63) as usize][count.clamp(0, 63) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_and_deeper_means_more() {
        assert!(reduction(10, 20) > reduction(10, 5) && reduction(20, 20) > reduction(10, 20));
        assert_eq!(reduction(0, 7), 0);
    }
}
