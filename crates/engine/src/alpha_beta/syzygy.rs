//! Endgame tables in Syzygy's format, where the user has them.

use std::path::PathBuf;

use chess::shakmaty::{Chess, Move, Position};
use shakmaty_syzygy::{Tablebase, Wdl};

use super::value::TABLEBASE_WIN;

/// Tables that were found, or none.
#[derive(Default)]
pub(crate) struct Syzygy {
    tables: Option<Tablebase<Chess>>,
    folders: Vec<PathBuf>,
}

impl std::fmt::Debug for Syzygy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Syzygy").field("folders", &self.folders).field("pieces", &self.pieces()).finish()
    }
}

impl Syzygy {
    /// Opens the tables in the folders; folders that cannot be read count as empty.
    pub(crate) fn open(folders: &[PathBuf]) -> Syzygy {
        let mut tables = Tablebase::new();
        let found: usize = folders.iter().filter_map(|folder| tables.add_directory(folder).ok()).sum();
        Syzygy { tables: (found > 0).then_some(tables), folders: folders.to_vec() }
    }

    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    fn pieces(&self) -> usize {
        self.tables.as_ref().map_or(0, Tablebase::max_pieces)
    }

    /// The result for the side to move inside a tree. Asked right after captures and pawn moves only, when the
    /// 50-move counter does not blur the answer.
    #[inline]
    fn wdl(&self, position: &Chess) -> Option<Wdl> {
        let tables = self.tables.as_ref()?;
        let fits = position.halfmoves() == 0
            && position.castles().is_empty()
            && position.board().occupied().count() <= tables.max_pieces();
        if !fits {
            return None;
        }
        tables.probe_wdl_after_zeroing(position).ok()
    }

    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss, where the tables know and the counter does not blur it.
    pub(crate) fn result(&self, position: &Chess) -> Option<i32> {
        Some(match self.wdl(position)? {
            Wdl::Win => 1,
            Wdl::Loss => -1,
            Wdl::CursedWin | Wdl::BlessedLoss | Wdl::Draw => 0,
        })
    }

    /// Value for the side to move inside the tree.
    #[inline]
    pub(crate) fn value(&self, position: &Chess, ply: usize) -> Option<i32> {
        Some(match self.wdl(position)? {
            Wdl::Win => TABLEBASE_WIN - ply as i32,
            Wdl::Loss => ply as i32 - TABLEBASE_WIN,
            Wdl::CursedWin => 1,
            Wdl::BlessedLoss => -1,
            Wdl::Draw => 0,
        })
    }

    /// The root moves that keep the result: the quickest to a zeroing move where the game is won, all
    /// drawing ones where it is drawn. `None` where the tables do not know.
    pub(crate) fn root_moves(&self, position: &Chess) -> Option<Vec<Move>> {
        let tables = self.tables.as_ref()?;
        if !position.castles().is_empty() || position.board().occupied().count() > tables.max_pieces() {
            return None;
        }
        let (best, _) = tables.best_move(position).ok()??;
        let result = |m: Move| {
            let mut after = position.clone();
            after.play_unchecked(m);
            // Wins that the 50-move rule spoils count as draws.
            tables.probe_wdl(&after).ok().map(|wdl| match wdl.after_zeroing() {
                Wdl::Loss => 1,
                Wdl::Win => -1,
                _ => 0,
            })
        };
        match result(best)? {
            1 => Some(vec![best]),
            0 => Some(position.legal_moves().into_iter().filter(|&m| result(m) == Some(0)).collect()),
            _ => None,
        }
    }
}
