//! Our perft beside shakmaty's, one thread each, in the same run.

use std::hint::black_box;

use chess::{
    Moment,
    perft::perft,
    shakmaty::{self, CastlingMode},
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const POSITIONS: [(&str, &str, u32); 3] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
    ("rook-ending", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5),
];

fn counting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    for (name, fen, depth) in POSITIONS {
        let position = Moment::from_fen(fen, CastlingMode::Standard).expect(fen).position;
        group.throughput(Throughput::Elements(perft(&position, depth)));
        group.bench_with_input(BenchmarkId::new("tabiya", name), &position, |bencher, position| {
            bencher.iter(|| perft(black_box(position), depth));
        });
        group.bench_with_input(BenchmarkId::new("shakmaty", name), &position, |bencher, position| {
            bencher.iter(|| shakmaty::perft(black_box(position), depth));
        });
    }
    group.finish();
}

criterion_group!(benches, counting);
criterion_main!(benches);
