//! A file of finished games that grows game by game. What a killed program left half-written is cut off.

use std::{
    collections::HashSet,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
};

use chess::pgn::Game;

#[derive(Debug)]
pub(super) struct PgnFile {
    file: File,
    /// `Round` of each game that is in the file.
    pub(super) rounds: HashSet<String>,
}

impl PgnFile {
    pub(super) fn open(path: &Path) -> io::Result<PgnFile> {
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let (rounds, length) = whole_games(&text);
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(length as u64)?;
        Ok(PgnFile { file, rounds })
    }

    pub(super) fn push(&mut self, game: &Game) -> io::Result<()> {
        self.file.write_all(game.to_string().as_bytes())?;
        self.rounds.extend(game.tag("Round").map(str::to_owned));
        Ok(())
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

/// The rounds of the games that are there to the end, and where the last of them ends. A game is two paragraphs, each with a blank line
/// after it.
fn whole_games(text: &str) -> (HashSet<String>, usize) {
    let (mut rounds, mut length) = (HashSet::new(), 0);
    while let Some(tags) = text[length..].find("\n\n") {
        let moves = length + tags + 2;
        let Some(end) = text[moves..].find("\n\n") else { break };
        let round = text[length..moves].lines().find_map(|line| line.strip_prefix("[Round \""));
        rounds.extend(round.and_then(|rest| rest.strip_suffix("\"]")).map(str::to_owned));
        length = moves + end + 2;
    }
    (rounds, length)
}

#[cfg(test)]
mod tests {
    use chess::Moment;

    use super::*;

    #[test]
    fn a_torn_game_is_cut_off_and_the_file_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let game = |round: &str| {
            let mut game = Game::new(Moment::default());
            game.set_tag("Round", round);
            game
        };
        let mut file = PgnFile::open(&path).unwrap();
        ["0.1", "0.2"].iter().for_each(|round| file.push(&game(round)).unwrap());
        let whole = std::fs::read_to_string(&path).unwrap();
        for torn in (1..whole.len()).rev().step_by(7) {
            std::fs::write(&path, format!("{whole}{}", &whole[..torn])).unwrap();
            let found = PgnFile::open(&path).unwrap();
            let kept = std::fs::read_to_string(&path).unwrap();
            assert!(kept.len() >= whole.len() && kept.len() <= whole.len() + torn);
            assert!(kept.ends_with("\n\n") && found.rounds.len() == 2, "{torn}");
        }
        let mut file = PgnFile::open(&path).unwrap();
        file.push(&game("0.3")).unwrap();
        assert_eq!(PgnFile::open(&path).unwrap().rounds.len(), 3);
    }
}
