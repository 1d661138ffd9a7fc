//! Builds one row from the text of a game.

use chess::{
    Annotation, Evaluation, PackedMove,
    shakmaty::{CastlingMode, Chess, Position, fen::Fen, san::SanPlus},
};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    Filters, Game, GameResult, Reason, Tally, TimeControl, date,
    import::{
        san::resolve,
        scan::{Line, Scanner},
    },
};

/// No real game is longer: the 75-move rule ends every game before.
const MOST_PLIES: usize = 17_700;

pub(crate) struct GameReader<'a> {
    pub(crate) filters: &'a Filters,
    /// Counts only the games that ended before their moves began.
    pub(crate) tally: Tally,
}

struct Tags {
    game: Game,
    position: Option<Chess>,
    has_id: bool,
    has_event: bool,
    any: bool,
    refused: Option<Reason>,
}

struct Movetext {
    game: Game,
    position: Chess,
    has_id: bool,
    any_tag: bool,
    clocks: Vec<Option<u32>>,
    evals: Vec<Option<i16>>,
    outcome: Option<GameResult>,
}

impl Tags {
    fn new() -> Tags {
        let game = Game {
            id: String::new(),
            date: None,
            white: String::new(),
            black: String::new(),
            white_title: None,
            black_title: None,
            white_elo: None,
            black_elo: None,
            control: None,
            result: GameResult::Unknown,
            termination: None,
            eco: None,
            start_fen: None,
            moves: Vec::new(),
            clocks_cs: None,
            evals: None,
        };
        Tags { game, position: None, has_id: false, has_event: false, any: false, refused: None }
    }

    fn set_id(&mut self, id: Option<String>) {
        if let Some(id) = id.filter(|_| !self.has_id) {
            self.game.id = id;
            self.has_id = true;
        }
    }

    fn set_start(&mut self, fen: &[u8]) {
        let parsed = Fen::from_ascii(fen).ok().and_then(|fen| fen.into_position(CastlingMode::Standard).ok());
        match parsed {
            Some(position) if position == Chess::default() => {}
            Some(position) => {
                self.game.start_fen =
                    Some(Fen::from_position(&position, chess::shakmaty::EnPassantMode::Legal).to_string());
                self.position = Some(position);
            }
            None => self.refused = self.refused.or(Some(Reason::BadStart)),
        }
    }
}

impl GameReader<'_> {
    /// Reads one game; the scanner stands at its first byte and afterwards behind its last.
    pub(crate) fn read(&mut self, scanner: &mut Scanner<'_>) -> Result<Game, Reason> {
        let mut tags = Tags::new();
        let whole = scanner.tags(|name, value| self.tag(&mut tags, name, value));
        let read = whole.and_then(|()| self.begin(tags)).and_then(|mut movetext| {
            match scanner.moves(&mut movetext) {
                Err(_) if !movetext.any_tag && movetext.game.moves.is_empty() => Err(Reason::NoGame),
                Err(reason) => Err(reason),
                Ok(()) => finish(movetext, self.filters),
            }
        });
        if read.is_err() {
            scanner.skip_moves();
        }
        read
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: &[u8]) {
        // A second event means that the game before it had no moves at all.
        if name == b"Event" && std::mem::replace(&mut tags.has_event, true) {
            self.tally.drop(Reason::CutOff);
            *tags = Tags { has_event: true, ..Tags::new() };
        }
        tags.any = true;
        let known = || text(value).filter(|text| text != "?" && text != "-");
        match name {
            b"GameId" => {
                let id = known();
                tags.has_id &= id.is_none();
                tags.set_id(id);
            }
            b"Site" => tags.set_id(lichess_id(value)),
            b"Link" => tags.set_id(chess_com_id(value)),
            b"UTCDate" => tags.game.date = date::parse(value).or(tags.game.date),
            b"Date" => tags.game.date = tags.game.date.or_else(|| date::parse(value)),
            b"White" => tags.game.white = text(value).unwrap_or_default(),
            b"Black" => tags.game.black = text(value).unwrap_or_default(),
            b"WhiteTitle" => tags.game.white_title = known(),
            b"BlackTitle" => tags.game.black_title = known(),
            b"WhiteElo" => tags.game.white_elo = number(value),
            b"BlackElo" => tags.game.black_elo = number(value),
            b"TimeControl" => tags.game.control = TimeControl::parse(value),
            b"Termination" => tags.game.termination = known(),
            b"ECO" => tags.game.eco = known(),
            b"FEN" => tags.set_start(value),
            b"Result" => match GameResult::parse(value) {
                Some(result) => tags.game.result = result,
                None => tags.refused = tags.refused.or(Some(Reason::BadTag)),
            },
            b"Variant" if !is_standard(value) => tags.refused = Some(Reason::Variant),
            _ => {}
        }
    }

    fn begin(&self, mut tags: Tags) -> Result<Movetext, Reason> {
        if let Some(reason) = tags.refused {
            return Err(reason);
        }
        // chess.com puts the winner's name before "won by checkmate".
        if let Some(termination) = &mut tags.game.termination {
            for name in [&tags.game.white, &tags.game.black].into_iter().filter(|name| !name.is_empty()) {
                if let Some(rest) = termination
                    .strip_prefix(name.as_str())
                    .and_then(|rest| rest.strip_prefix(' '))
                    .filter(|rest| rest.starts_with("won "))
                {
                    *termination = rest.to_owned();
                    break;
                }
            }
        }
        if let Some(reason) = self.filters.refuse_tags(&tags.game).filter(|_| tags.any) {
            return Err(reason);
        }
        tags.game.moves.reserve(100);
        Ok(Movetext {
            position: tags.position.unwrap_or_default(),
            game: tags.game,
            has_id: tags.has_id,
            any_tag: tags.any,
            clocks: Vec::new(),
            evals: Vec::new(),
            outcome: None,
        })
    }
}

impl Line for Movetext {
    fn word(&mut self, word: &[u8]) -> Result<(), Reason> {
        let Some(m) = resolve(&self.position, word) else {
            let is_move = SanPlus::from_ascii(word).is_ok();
            return Err(if is_move { Reason::IllegalMove } else { Reason::NotAMove });
        };
        if self.game.moves.len() == MOST_PLIES {
            return Err(Reason::TooLong);
        }
        self.game.moves.push(PackedMove::from(m));
        self.position.play_unchecked(m);
        Ok(())
    }

    fn comment(&mut self, comment: &[u8]) {
        let Some(ply) = self.game.moves.len().checked_sub(1) else { return };
        let annotation = Annotation::parse(comment);
        place(&mut self.clocks, ply, annotation.clock_cs);
        place(&mut self.evals, ply, annotation.eval.map(|eval| Evaluation::from(eval).0));
    }

    fn outcome(&mut self, result: GameResult) {
        self.outcome = Some(result);
    }
}

fn finish(movetext: Movetext, filters: &Filters) -> Result<Game, Reason> {
    let Movetext { mut game, has_id, any_tag, mut clocks, mut evals, outcome, .. } = movetext;
    if !any_tag {
        return Err(if game.moves.is_empty() { Reason::NoGame } else { Reason::BadTag });
    }
    match outcome {
        None => return Err(Reason::CutOff),
        Some(outcome) if outcome != game.result => return Err(Reason::ResultConflict),
        Some(_) => {}
    }
    let plies = game.moves.len();
    game.clocks_cs = (!clocks.is_empty()).then(|| {
        clocks.resize(plies, None);
        clocks
    });
    game.evals = (!evals.is_empty()).then(|| {
        evals.resize(plies, None);
        evals
    });
    if !has_id {
        game.id = derived_id(&game);
    }
    match filters.refuse_moves(&game) {
        Some(reason) => Err(reason),
        None => Ok(game),
    }
}

/// Puts a value at `ply`, with holes before it.
fn place<T: Clone>(list: &mut Vec<Option<T>>, ply: usize, value: Option<T>) {
    if value.is_some() {
        list.reserve(if list.is_empty() { 100 } else { 0 });
        list.resize(ply, None);
        list.push(value);
    }
}

/// The tag's text, with escaped quotes and backslashes resolved from left to right.
fn text(value: &[u8]) -> Option<String> {
    let raw = String::from_utf8_lossy(value);
    if !raw.contains('\\') {
        return Some(raw.trim().to_owned()).filter(|text| !text.is_empty());
    }
    let mut text = String::with_capacity(raw.len());
    let mut letters = raw.trim().chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(escaped @ ('"' | '\\')) => text.push(escaped),
                Some(other) => text.extend(['\\', other]),
                None => text.push('\\'),
            },
            _ => text.push(letter),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// Ratings; `?`, `-`, 0 and nonsense are unknown.
fn number(value: &[u8]) -> Option<u16> {
    std::str::from_utf8(value).ok()?.trim().parse().ok().filter(|&rating| rating > 0)
}

/// `From Position` is standard chess with a FEN.
fn is_standard(variant: &[u8]) -> bool {
    [&b"Standard"[..], b"From Position", b"Chess", b"Normal", b"?", b""]
        .iter()
        .any(|name| variant.eq_ignore_ascii_case(name))
}

/// The eight letters of `https://lichess.org/abcdefgh`, with whatever colour or ply follows.
fn lichess_id(site: &[u8]) -> Option<String> {
    let site = std::str::from_utf8(site).ok()?;
    let path = site.split_once("lichess.org/")?.1;
    let id = path.get(..8)?;
    let ends = path.as_bytes().get(8).is_none_or(|byte| !byte.is_ascii_alphanumeric() || path.len() == 12);
    (ends && id.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| id.to_owned())
}

fn chess_com_id(link: &[u8]) -> Option<String> {
    let link = std::str::from_utf8(link).ok()?;
    let number = link.split_once("chess.com/")?.1.rsplit('/').next()?;
    let number = number.split(['?', '#']).next()?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| format!("chess.com/{number}"))
}

/// The same players, day, start and moves are the same game, wherever it was found.
fn derived_id(game: &Game) -> String {
    let mut bytes = Vec::with_capacity(64 + 2 * game.moves.len());
    for text in [&game.white, &game.black, game.start_fen.as_ref().unwrap_or(&String::new())] {
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    }
    bytes.extend_from_slice(&game.date.unwrap_or(i32::MIN).to_le_bytes());
    bytes.extend(game.moves.iter().flat_map(|m| m.0.to_le_bytes()));
    format!("~{:016x}", xxh3_64(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_by_site() {
        let table = [
            ("https://lichess.org/5eUjvqhl", Some("5eUjvqhl")),
            ("https://lichess.org/5eUjvqhl/black#12", Some("5eUjvqhl")),
            ("https://lichess.org/5eUjvqhlABCD", Some("5eUjvqhl")),
            ("https://lichess.org/tournaments", None),
            ("https://lichess.org/ü", None),
            ("Hastings ENG", None),
        ];
        for (site, id) in table {
            assert_eq!(lichess_id(site.as_bytes()).as_deref(), id, "{site}");
        }
        assert_eq!(
            chess_com_id(b"https://www.chess.com/game/live/145591166861?x=1").as_deref(),
            Some("chess.com/145591166861")
        );
    }
}
