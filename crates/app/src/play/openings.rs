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

    /// The name of this very position.
    pub(crate) fn of_moment(&self, moment: &Moment) -> Option<Opening> {
        self.by_key.get(&moment.past.key()).map(|&index| self.lines[index].opening.clone())
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

    /// Openings whose name or code holds every word of `query`: first those that begin with it, then those with words that do; among
    /// them shorter lines first.
    pub(crate) fn find(&self, query: &str) -> Vec<&Line> {
        let query = folded(query);
        let words: Vec<&str> = query.split(' ').filter(|word| !word.is_empty()).collect();
        let mut found: Vec<(u8, &Line)> = self
            .lines
            .iter()
            .filter_map(|line| {
                Some((rank(&folded(line.opening.name), line.opening.eco, &query, &words)?, line))
            })
            .collect();
        found.sort_by_key(|(rank, line)| (*rank, line.moves.len()));
        found.truncate(MOST_FOUND);
        found.into_iter().map(|(_, line)| line).collect()
    }
}

/// How well a folded name answers a folded query; the smaller the better.
fn rank(name: &str, eco: &str, query: &str, words: &[&str]) -> Option<u8> {
    let is_code = |word: &str| eco.to_lowercase().starts_with(word);
    let begins = |word: &str| is_code(word) || name.split(' ').any(|own| own.starts_with(word));
    // Written as one word, or in two: carokann, queen side.
    let (joined, asked) = (name.replace(' ', ""), query.replace(' ', ""));
    match () {
        () if name.starts_with(query) || is_code(query) => Some(0),
        () if joined.starts_with(&asked) || words.iter().all(|word| begins(word)) => Some(1),
        () if words.iter().all(|word| is_code(word) || name.contains(word)) => Some(2),
        () if joined.contains(&asked) => Some(3),
        () => None,
    }
}

/// As people type it: small letters without accents and apostrophes, and a space for everything that parts words.
fn folded(text: &str) -> String {
    let plain = |letter: char| match letter {
        '\'' | '’' | '`' => None,
        'ä' | 'á' | 'à' | 'â' | 'å' | 'ã' => Some('a'),
        'ç' | 'č' | 'ć' => Some('c'),
        'é' | 'è' | 'ê' | 'ë' | 'ě' => Some('e'),
        'í' | 'î' | 'ï' => Some('i'),
        'ł' => Some('l'),
        'ñ' | 'ń' => Some('n'),
        'ö' | 'ó' | 'ò' | 'ô' | 'ø' | 'ő' => Some('o'),
        'š' | 'ś' => Some('s'),
        'ü' | 'ú' | 'ù' | 'û' => Some('u'),
        'ž' | 'ź' | 'ż' => Some('z'),
        letter if letter.is_alphanumeric() => Some(letter),
        _ => Some(' '),
    };
    let letters: String = text.chars().flat_map(char::to_lowercase).filter_map(plain).collect();
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
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
    fn openings_are_found_as_people_type_them() {
        let table = [
            ("grunfeld", "Grünfeld Defense"),
            ("Grünfeld", "Grünfeld Defense"),
            ("kings indian", "King's Indian"),
            ("caro kann", "Caro-Kann Defense"),
            ("carokann", "Caro-Kann Defense"),
            ("queens gambit declined", "Queen's Gambit Declined"),
            ("sicilian", "Sicilian Defense"),
        ];
        for (query, begin) in table {
            let found = Openings::shared().find(query)[0].opening.name;
            assert!(found.starts_with(begin), "{query}: {found}");
        }
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
