//! Names of openings, by the position that they lead to.
//!
//! The table is a list of facts (ECO code, name, moves) from lichess-org/chess-openings, which is in the public
//! domain (CC0).

use std::{collections::HashMap, sync::LazyLock};

use chess::{
    Moment,
    shakmaty::{Move, san::SanPlus},
};
use serde::Serialize;
use utoipa::ToSchema;

const TABLE: &str = include_str!("../../openings.tsv");
/// More than fit a list that a person reads.
const MOST_FOUND: usize = 40;

static OPENINGS: LazyLock<Openings> = LazyLock::new(Openings::read);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Opening {
    pub(crate) eco: &'static str,
    pub(crate) name: &'static str,
}

/// An opening with the moves that lead to it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = OpeningLine)]
pub(crate) struct Line {
    #[serde(flatten)]
    pub(crate) opening: Opening,
    pub(crate) moves: Vec<String>,
    pub(crate) san: &'static str,
    pub(crate) fen: String,
}

#[derive(Debug)]
pub(crate) struct Openings {
    lines: Vec<Line>,
    /// Index into `lines` by the Zobrist key of the last position: transpositions are found as well.
    by_key: HashMap<u64, usize>,
}

impl Openings {
    pub(crate) fn shared() -> &'static Openings {
        &OPENINGS
    }

    fn read() -> Openings {
        let mut openings = Openings { lines: Vec::new(), by_key: HashMap::new() };
        for row in TABLE.lines() {
            let mut cells = row.split('\t');
            let mut cell = || cells.next().expect("three cells in a row of the table");
            let (eco, name, san) = (cell(), cell(), cell());
            let mut moment = Moment::default();
            let mut moves = Vec::new();
            for word in san.split(' ') {
                let m = parse(word, &moment).expect("the table holds legal moves");
                moves.push(moment.uci(m));
                moment.play(m);
            }
            // Where two names lead to one position, the first stands.
            openings.by_key.entry(moment.past.key()).or_insert(openings.lines.len());
            openings.lines.push(Line { opening: Opening { eco, name }, moves, san, fen: moment.fen() });
        }
        openings
    }

    /// The name of the last named position on the way.
    pub(crate) fn of_line(&self, first: &Moment, moves: impl IntoIterator<Item = Move>) -> Option<Opening> {
        let mut moment = first.clone();
        let mut last = None;
        for m in moves {
            moment.play(m);
            last = self.by_key.get(&moment.past.key()).or(last);
        }
        last.map(|&index| self.lines[index].opening.clone())
    }

    /// Openings whose name or code holds every word of `query`; shorter lines first.
    pub(crate) fn find(&self, query: &str) -> Vec<&Line> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let fits = |line: &&Line| {
            let name = line.opening.name.to_lowercase();
            let eco = line.opening.eco.to_lowercase();
            words.iter().all(|word| name.contains(word.as_str()) || eco.starts_with(word.as_str()))
        };
        let mut found: Vec<&Line> = self.lines.iter().filter(fits).collect();
        found.sort_by_key(|line| line.moves.len());
        found.truncate(MOST_FOUND);
        found
    }
}

fn parse(word: &str, moment: &Moment) -> Option<Move> {
    word.parse::<SanPlus>().ok()?.san.to_move(&moment.position).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_after(uci: &[&str]) -> Option<&'static str> {
        let mut moment = Moment::default();
        let moves: Vec<Move> = uci
            .iter()
            .map(|text| {
                let m = moment.parse_uci(text).unwrap();
                moment.play(m);
                m
            })
            .collect();
        Openings::shared().of_line(&Moment::default(), moves).map(|opening| opening.name)
    }

    #[test]
    fn an_opening_is_known_by_its_position_and_stays_when_the_book_ends() {
        assert_eq!(name_after(&[]), None);
        assert_eq!(name_after(&["e2e4", "c7c5"]), Some("Sicilian Defense"));
        let queens_gambit = Some("Queen's Gambit");
        assert_eq!(name_after(&["d2d4", "d7d5", "c2c4"]), queens_gambit);
        assert_eq!(name_after(&["c2c4", "d7d5", "d2d4"]), queens_gambit, "by transposition");
        let out_of_book = ["e2e4", "c7c5", "h2h4", "h7h5", "a2a4"];
        assert!(name_after(&out_of_book).unwrap().starts_with("Sicilian Defense"));
    }

    #[test]
    fn searching_takes_words_in_any_order_and_codes() {
        let first = |query: &str| Openings::shared().find(query)[0].opening.name;
        assert_eq!(first("najdorf sicilian"), "Sicilian Defense: Najdorf Variation");
        assert_eq!(Openings::shared().find("B90")[0].opening.eco, "B90");
        assert!(Openings::shared().find("no such opening").is_empty());
        assert!(Openings::shared().find("").len() <= MOST_FOUND);
    }
}
