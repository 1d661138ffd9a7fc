//! King and pawn against king, solved: one bit for each arrangement, worked out when first asked for.

use std::sync::LazyLock;

use chess::shakmaty::{Bitboard, Color, Rank, Square, attacks};

/// Arrangements: side to move, two kings, pawn on files a-d of ranks 2-7.
const SIZE: usize = 2 * 64 * 64 * 24;

static WON: LazyLock<Box<[u64]>> = LazyLock::new(solve);

/// Whether White, who has the pawn, wins.
pub(super) fn is_won(white: Square, black: Square, pawn: Square, white_to_move: bool) -> bool {
    let mirror = pawn.file().to_u32() >= 4;
    let [white, black, pawn] =
        [white, black, pawn].map(|square| if mirror { square.flip_horizontal() } else { square });
    let index = index(white, black, pawn, white_to_move);
    WON[index / 64] >> (index % 64) & 1 == 1
}

fn index(white: Square, black: Square, pawn: Square, white_to_move: bool) -> usize {
    let pawn = pawn.file().to_usize() + 4 * (pawn.rank().to_usize() - 1);
    usize::from(white_to_move) + 2 * (white.to_usize() + 64 * (black.to_usize() + 64 * pawn))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Impossible,
    Open,
    Draw,
    Win,
}

/// Repeats one-move look-ahead until nothing changes; what is still open then can not be won.
fn solve() -> Box<[u64]> {
    let mut verdicts = vec![Verdict::Open; SIZE];
    let all = || {
        let pawns = Square::ALL.into_iter().filter(|pawn| {
            pawn.file().to_u32() < 4 && pawn.rank() > Rank::First && pawn.rank() < Rank::Eighth
        });
        pawns.flat_map(|pawn| {
            Square::ALL.into_iter().flat_map(move |black| {
                Square::ALL
                    .into_iter()
                    .flat_map(move |white| [(white, black, pawn, false), (white, black, pawn, true)])
            })
        })
    };
    for (white, black, pawn, white_to_move) in all() {
        verdicts[index(white, black, pawn, white_to_move)] = at_once(white, black, pawn, white_to_move);
    }
    loop {
        let mut changed = false;
        for (white, black, pawn, white_to_move) in all() {
            let here = index(white, black, pawn, white_to_move);
            if verdicts[here] == Verdict::Open {
                let verdict = match white_to_move {
                    true => for_white(&verdicts, white, black, pawn),
                    false => for_black(&verdicts, white, black, pawn),
                };
                changed |= verdict != Verdict::Open;
                verdicts[here] = verdict;
            }
        }
        if !changed {
            break;
        }
    }
    let bits = |chunk: &[Verdict]| {
        chunk.iter().enumerate().fold(0, |bits, (i, &verdict)| bits | u64::from(verdict == Verdict::Win) << i)
    };
    verdicts.chunks(64).map(bits).collect()
}

/// What can be said without looking ahead.
fn at_once(white: Square, black: Square, pawn: Square, white_to_move: bool) -> Verdict {
    let pawn_attacks = attacks::pawn_attacks(Color::White, pawn);
    let overlap = white == black || white == pawn || black == pawn;
    if overlap || white.distance(black) <= 1 || (white_to_move && pawn_attacks.contains(black)) {
        return Verdict::Impossible;
    }
    if white_to_move {
        let Some(goal) = pawn.offset(8) else { return Verdict::Impossible };
        let safe = black.distance(goal) > 1 || white.distance(goal) == 1;
        let queens = pawn.rank() == Rank::Seventh && goal != white && goal != black && safe;
        return if queens { Verdict::Win } else { Verdict::Open };
    }
    let white_controls = attacks::king_attacks(white) | pawn_attacks;
    let escapes = attacks::king_attacks(black) & !white_controls;
    if (escapes & Bitboard::from_square(pawn)).any() {
        return Verdict::Draw;
    }
    let stalemate = escapes.is_empty() && !pawn_attacks.contains(black);
    if stalemate { Verdict::Draw } else { Verdict::Open }
}

/// White wins if one move leads to a win.
fn for_white(verdicts: &[Verdict], white: Square, black: Square, pawn: Square) -> Verdict {
    let mut all_drawn = true;
    let mut look = |white: Square, pawn: Square| {
        let verdict = verdicts[index(white, black, pawn, false)];
        all_drawn &= matches!(verdict, Verdict::Draw | Verdict::Impossible);
        verdict == Verdict::Win
    };
    let mut wins = false;
    for to in attacks::king_attacks(white) {
        wins |= look(to, pawn);
    }
    if let Some(step) =
        pawn.offset(8).filter(|&step| pawn.rank() < Rank::Seventh && step != white && step != black)
    {
        wins |= look(white, step);
        if let Some(double) =
            step.offset(8).filter(|&to| pawn.rank() == Rank::Second && to != white && to != black)
        {
            wins |= look(white, double);
        }
    }
    if wins {
        Verdict::Win
    } else if all_drawn {
        Verdict::Draw
    } else {
        Verdict::Open
    }
}

/// Black draws if one move leads to a draw.
fn for_black(verdicts: &[Verdict], white: Square, black: Square, pawn: Square) -> Verdict {
    let mut all_won = true;
    for to in attacks::king_attacks(black) {
        match verdicts[index(white, to, pawn, true)] {
            Verdict::Draw => return Verdict::Draw,
            Verdict::Open => all_won = false,
            Verdict::Win | Verdict::Impossible => {}
        }
    }
    if all_won { Verdict::Win } else { Verdict::Open }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opposition_decides() {
        let won = |white, black, pawn, white_to_move| is_won(white, black, pawn, white_to_move);
        assert!(won(Square::E6, Square::E8, Square::E5, true), "king on the sixth before its pawn");
        assert!(won(Square::E6, Square::E8, Square::E5, false));
        assert!(!won(Square::E4, Square::E6, Square::E3, true), "Black has the opposition");
        assert!(won(Square::E4, Square::E6, Square::E3, false));
        assert!(!won(Square::G6, Square::H8, Square::H5, true), "rook pawn");
        assert!(won(Square::A1, Square::C4, Square::H5, false), "outside the square");
        assert!(!won(Square::A1, Square::E4, Square::H5, false));
    }

    #[test]
    fn the_share_of_wins_is_the_known_one() {
        // Every arrangement counts once for each side to move, with the pawn on files a-d.
        let won: u32 = WON.iter().map(|word| word.count_ones()).sum();
        assert_eq!(won, 111_282);
    }
}
