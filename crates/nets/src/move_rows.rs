//! The rows of legal moves: what `swift` tells of each, as bags of one table.

use chess::encoding::swift;

use crate::fused::MoveLookups;

/// Rows of kinds, followed by those of paths, of threats, of consequences and of bearings.
pub(crate) const MOVE_ROWS: usize =
    swift::KINDS + swift::PATHS + swift::THREATS + swift::CONSEQUENCES + swift::BEARINGS;

impl MoveLookups {
    /// Adds the legal moves of a moment.
    pub(crate) fn push(&mut self, encoded: &swift::Swift) {
        const PATHS: i32 = swift::KINDS as i32;
        const THREATS: i32 = PATHS + swift::PATHS as i32;
        const CONSEQUENCES: i32 = THREATS + swift::THREATS as i32;
        const BEARINGS: i32 = CONSEQUENCES + swift::CONSEQUENCES as i32;
        let mut threats = encoded.threats.iter().peekable();
        let mut consequences = encoded.consequences.iter().peekable();
        let mut bearings = encoded.bearings.iter().peekable();
        for (at, m) in encoded.moves.iter().enumerate() {
            self.origins.push(m.from);
            self.targets.push(m.to);
            self.rows.rows.push(m.kind.into());
            self.rows.rows.push(PATHS + i32::from(m.path));
            while let Some(threat) = threats.next_if(|threat| usize::from(threat[0]) == at) {
                self.rows.rows.push(THREATS + i32::from(threat[1]));
            }
            while let Some(row) = consequences.next_if(|row| usize::from(row[0]) == at) {
                self.rows.rows.push(CONSEQUENCES + i32::from(row[1]));
            }
            while let Some(row) = bearings.next_if(|row| usize::from(row[0]) == at) {
                self.rows.rows.push(BEARINGS + i32::from(row[1]));
            }
            self.rows.end();
        }
        self.ends.push(self.origins.len());
    }
}
