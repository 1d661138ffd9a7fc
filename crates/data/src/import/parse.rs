//! Reads the games of one chunk.

use crate::{
    Filters, Game, Reason, Tally,
    import::{chunks::Chunk, row::GameReader, scan::Scanner},
    seen::Seen,
};

/// A row with the hashes that the writer needs, computed where many threads work.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) game: Game,
    pub(crate) id_hash: u64,
    pub(crate) fingerprint: u128,
}

/// What a chunk held, in its order.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) rows: Vec<Row>,
    /// All games but those in `rows`.
    pub(crate) tally: Tally,
    /// The first game whose data is at fault, and its line.
    pub(crate) first_bad: Option<(Reason, u64)>,
    pub(crate) next_offset: u64,
    pub(crate) next_line: u64,
}

pub(crate) fn parse(chunk: &Chunk, filters: &Filters) -> Parsed {
    let mut parsed =
        Parsed { next_offset: chunk.next_offset, next_line: chunk.next_line, ..Parsed::default() };
    let mut reader = GameReader { filters, tally: Tally::default() };
    let mut scanner = Scanner::new(&chunk.text);
    let mut scratch = Vec::new();
    while scanner.find_game() {
        let start = scanner.at;
        match reader.read(&mut scanner) {
            Ok(game) => parsed.rows.push(Row {
                id_hash: Seen::hash(&game.id),
                fingerprint: game.fingerprint(&mut scratch),
                game,
            }),
            Err(reason) => note(&mut parsed, chunk, start, reason),
        }
    }
    parsed.tally.add(&reader.tally);
    if chunk.oversized {
        note(&mut parsed, chunk, 0, Reason::Oversized);
    }
    if chunk.damage.is_some() {
        note(&mut parsed, chunk, chunk.text.len(), Reason::DamagedArchive);
    }
    parsed
}

fn note(parsed: &mut Parsed, chunk: &Chunk, start: usize, reason: Reason) {
    parsed.tally.drop(reason);
    if reason.is_bad() && parsed.first_bad.is_none() {
        let blank = chunk.text[start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let lines = memchr::memchr_iter(b'\n', &chunk.text[..start + blank]).count() as u64;
        parsed.first_bad = Some((reason, chunk.line + lines + 1));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(pgn: &str) -> Result<Game, Reason> {
        let chunk = Chunk { text: pgn.as_bytes().to_vec(), ..Chunk::default() };
        let mut parsed = parse(&chunk, &Filters::default());
        assert_eq!(parsed.tally.read + parsed.rows.len() as u64, 1, "{pgn}: {parsed:?}");
        match parsed.rows.pop() {
            Some(row) => Ok(row.game),
            None => Err(parsed.tally.dropped().next().unwrap().0),
        }
    }

    fn tagged(rest: &str) -> String {
        format!("[Event \"x\"]\n[White \"Ann\"]\n[Black \"Ben\"]\n{rest}\n")
    }

    #[test]
    fn bad_games_by_reason() {
        let table = [
            ("[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 1-0", Reason::IllegalMove),
            ("[Result \"1-0\"]\n\n1. e4 e5 2. -- Nf6 1-0", Reason::IllegalMove),
            ("[Result \"1-0\"]\n\n1. e4 e5 2. Nf9 1-0", Reason::NotAMove),
            ("[Result \"1-0\"]\n\n1. e4 e5 2. Nf3", Reason::CutOff),
            ("[Result \"1-0\"]\n\n1. e4 e5 2. N", Reason::CutOff),
            ("[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 { never closed 1-0", Reason::CutOff),
            ("[Result \"1-0\"]\n\n1. e4 (1. d4 (1. c4) e5 1-0", Reason::CutOff),
            ("[Result \"1-0\"]\n\n1. e4 e5 2e4 1-0", Reason::NotAMove),
            ("[Result \"1-0\"]\n\n1. e4 e5 0-1", Reason::ResultConflict),
            ("[Result \"won\"]\n\n1. e4 e5 1-0", Reason::BadTag),
            ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n[Result \"*\"]\n\n*", Reason::BadStart),
            ("[FEN \"4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1\"]\n[Result \"*\"]\n\n*", Reason::BadStart),
            ("[Variant \"Atomic\"]\n[Result \"1-0\"]\n\n1. e4 1-0", Reason::Variant),
            ("[Variant \"Chess960\"]\n[FEN \"x\"]\n[Result \"1-0\"]\n\n1. e4 1-0", Reason::Variant),
            ("[Result \"*\"]\n\n1. e4 *", Reason::Unfinished),
            ("[Result \"1-0\"]\n\n1-0", Reason::TooShort),
        ];
        for (rest, reason) in table {
            assert_eq!(one(&tagged(rest)), Err(reason), "{rest}");
        }
        assert_eq!(one("\u{1}\u{2}\u{3}PK junk"), Err(Reason::NoGame));
    }

    #[test]
    fn clocks_evaluations_and_holes_are_aligned() {
        let moves = "1. e4 { [%eval 0.2] [%clk 0:01:00] } 1... e5 2. Nf3!? (2. f4 { [%clk 0:00:01] } exf4) \
            { [%clk 0:00:58] } 2... Nc6 { [%clk 0:00:57] } 1-0";
        let game = one(&tagged(&format!("[Result \"1-0\"]\n[TimeControl \"60+0\"]\n\n{moves}"))).unwrap();
        assert_eq!(game.moves.len(), 4);
        assert_eq!(game.clocks_cs, Some(vec![Some(6000), None, Some(5800), Some(5700)]));
        assert_eq!(game.evals, Some(vec![Some(20), None, None, None]));
    }

    #[test]
    fn the_same_game_in_many_spellings() {
        let spellings = [
            "1. e4 e5 2. Nf3 Nc6 1-0",
            "1.e4 e5 2.Nf3 Nc6 1-0",
            "1. e4 1... e5 2. Nf3 2... Nc6 1–0",
            "e4 e5 Nf3 Nc6 1—0",
            "1. e4! $1 e5?? 2. Nf3!? $13 Nc6?! 1-0",
            "1. e4 (1. d4 d5 (1... Nf6 { ) } 2. c4) 2. c4) e5 2. Nf3 ; ( rest\nNc6 1-0",
            "1. e4 { \n\n[Event \"no\"] } e5\n% escaped Ke2\n2. Nf3+ Nc6# 1-0",
            "\n\r\n1. e4 e5\r\n2. Ng1f3 Nb8c6 1-0",
        ];
        let moves = |rest: &str| one(&tagged(&format!("[Result \"1-0\"]\n\n{rest}"))).map(|game| game.moves);
        for spelling in spellings {
            assert_eq!(moves(spelling), moves(spellings[0]), "{spelling}");
        }
    }

    #[test]
    fn a_game_without_moves_does_not_lend_its_tags_to_the_next() {
        let text = "[Event \"a\"]\n[WhiteElo \"1500\"]\n\n[Event \"b\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n";
        let parsed =
            parse(&Chunk { text: text.as_bytes().to_vec(), ..Chunk::default() }, &Filters::default());
        assert_eq!(parsed.rows.len(), 1);
        assert_eq!(parsed.rows[0].game.white_elo, None);
        assert_eq!(parsed.tally.read, 1);
    }

    #[test]
    fn castling_with_zeros_and_en_passant_words_are_moves() {
        let moves = "1. e4 d5 2. e5 f5 3. exf6 e.p. Nxf6 4. Nf3 e6 5. Bb5+ c6 6. 0-0 1-0";
        assert_eq!(one(&tagged(&format!("[Result \"1-0\"]\n\n{moves}"))).unwrap().moves.len(), 11);
    }

    proptest! {
        #[test]
        fn garbage_is_counted_and_never_panics(text in "[\\[\\]\"{}();%$ \\n\\r.a-h1-8KQRBNx+#=O*/-]{0,300}", raw: Vec<u8>) {
            for text in [text.into_bytes(), raw] {
                parse(&Chunk { text, ..Chunk::default() }, &Filters::default());
            }
        }
    }
}
