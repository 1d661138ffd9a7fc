//! Damage: to bytes, to words, to archives.

use std::io::Write;

use data::Random;

/// Up to eight wounds. `words` are pieces that mean something to the reader at hand.
pub(crate) fn mutate(random: &mut Random, mut bytes: Vec<u8>, words: &[&[u8]]) -> Vec<u8> {
    for _ in 0..random.below(9) {
        wound(random, &mut bytes, words);
    }
    bytes
}

fn wound(random: &mut Random, bytes: &mut Vec<u8>, words: &[&[u8]]) {
    let len = bytes.len();
    let at = random.below(len + 1);
    let range = {
        let most = if random.chance(0.3) { len.max(1) } else { 12 };
        let span = 1 + random.below(most);
        at..(at + span).min(len)
    };
    match random.below(14) {
        0 if at < len => bytes[at] ^= 1 << random.below(8),
        1 if at < len => bytes[at] = random.bits() as u8,
        2 => drop(bytes.drain(range)),
        3 => {
            let copy = bytes[range].to_vec();
            let to = random.below(len + 1);
            insert(bytes, to, &copy);
        }
        4 => bytes.truncate(at),
        5..=7 if !words.is_empty() => insert(bytes, at, words[random.below(words.len())]),
        8 => insert(bytes, at, number(random).as_bytes()),
        9 => insert(
            bytes,
            at,
            [&b"\0\0\0"[..], b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\r", b"\n\n"][random.below(6)],
        ),
        10 if random.chance(0.1) => {
            let long = vec![b"x (\"{[1;%\n"[random.below(9)]; 1 << (8 + random.below(13))];
            insert(bytes, at, &long);
        }
        11 if random.chance(0.1) => {
            let depth = 1 << random.below(17);
            let (open, close) = [(b"(", b")"), (b"{", b"}"), (b"[", b"]")][random.below(3)];
            insert(bytes, at, &[open.repeat(depth), close.repeat(depth)].concat());
        }
        12 => {
            let to = random.below(len + 1);
            let piece: Vec<u8> = bytes.drain(range).collect();
            let to = to.min(bytes.len());
            insert(bytes, to, &piece);
        }
        _ => insert(bytes, at, &[random.bits() as u8]),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

fn number(random: &mut Random) -> String {
    match random.below(6) {
        0 => u64::MAX.to_string(),
        1 => i64::MIN.to_string(),
        2 => "9".repeat(1 + random.below(400)),
        3 => "1e999".to_owned(),
        4 => (random.bits() >> random.below(64)).to_string(),
        _ => format!("-{}.{}", random.below(70_000), random.below(1_000_000)),
    }
}

/// Packs into one or several pieces of one of the formats, and sometimes damages the archive.
pub(crate) fn pack(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let cut = random.below(bytes.len() + 1);
    let pieces = if random.chance(0.5) { vec![bytes] } else { vec![&bytes[..cut], &bytes[cut..]] };
    let kind = random.below(8);
    let mut packed: Vec<u8> = pieces.into_iter().flat_map(|piece| packed(kind, piece)).collect();
    if kind < 4 && random.chance(0.5) {
        for _ in 0..1 + random.below(3) {
            wound(
                random,
                &mut packed,
                &[b"\x28\xb5\x2f\xfd", b"\x1f\x8b", b"BZh9", b"\x50\x2a\x4d\x18\xff\xff\xff\x7f"],
            );
        }
    }
    packed
}

fn packed(kind: usize, piece: &[u8]) -> Vec<u8> {
    let finished = "writing to memory does not fail";
    match kind {
        0 => zstd::encode_all(piece, 1).expect(finished),
        1 => [b"\x50\x2a\x4d\x18\x02\x00\x00\x00xx".to_vec(), packed(0, piece)].concat(),
        2 => {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(piece).expect(finished);
            writer.finish().expect(finished)
        }
        3 => {
            let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            writer.write_all(piece).expect(finished);
            writer.finish().expect(finished)
        }
        _ => piece.to_vec(),
    }
}
