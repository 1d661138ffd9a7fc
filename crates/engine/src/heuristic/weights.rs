//! The weights of the hand-made evaluation, in centipawns, as `tabiya tune` wrote them.

use super::{
    features::{COUNT, DANGER_COUNT},
    taper::{Taper, taper},
};

/// Opening and endgame weight of each feature, in the order of `features.rs`.
#[rustfmt::skip]
pub(crate) static WEIGHTS: [Taper; COUNT] = [
    // material: pawn, knight, bishop, rook, queen
    taper(25, 129), taper(251, 398), taper(261, 401), taper(326, 627), taper(759, 1080),
    // piece squares: role, then square from a1 by ranks, own side below
    taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0),
    taper(-11, 8), taper(-15, 1), taper(-6, -0), taper(0, -4), taper(2, 3), taper(-8, 3), taper(-3, -0), taper(-16, 12),
    taper(-16, 4), taper(-19, 0), taper(-10, -9), taper(-10, -4), taper(-2, -6), taper(-9, -3), taper(-6, -5), taper(-27, 5),
    taper(-6, 10), taper(-14, 4), taper(-8, -10), taper(-5, -20), taper(2, -19), taper(-2, -6), taper(-5, -1), taper(-5, 6),
    taper(2, 18), taper(-7, 4), taper(-8, 1), taper(-6, -17), taper(5, -18), taper(-12, 1), taper(6, 6), taper(5, 10),
    taper(-4, 32), taper(1, 6), taper(-2, 6), taper(19, -0), taper(15, 13), taper(1, 4), taper(42, 10), taper(15, 18),
    taper(30, 68), taper(41, 45), taper(38, 78), taper(79, 86), taper(101, 66), taper(-57, 109), taper(30, 86), taper(42, 78),
    taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0),
    taper(-37, -8), taper(-17, -6), taper(-22, 12), taper(-27, 26), taper(-13, 8), taper(-28, 6), taper(-24, -10), taper(-39, -18),
    taper(-38, -4), taper(-27, 23), taper(-8, 2), taper(-16, 8), taper(-15, 4), taper(-18, 4), taper(-31, 13), taper(-25, -4),
    taper(-17, 2), taper(-11, 8), taper(-8, 4), taper(-10, 20), taper(-6, 19), taper(-11, -0), taper(-10, 2), taper(-16, 4),
    taper(-6, 18), taper(4, 18), taper(-0, 27), taper(-2, 27), taper(-0, 32), taper(4, 14), taper(3, 25), taper(-10, 25),
    taper(7, 22), taper(1, 20), taper(-0, 30), taper(6, 37), taper(-1, 24), taper(2, 36), taper(-1, 25), taper(2, 10),
    taper(-17, 36), taper(4, 24), taper(0, 30), taper(13, 29), taper(23, 28), taper(17, 46), taper(-16, 12), taper(35, -19),
    taper(-9, 20), taper(-10, 30), taper(18, 11), taper(24, 35), taper(27, 11), taper(85, 4), taper(34, 28), taper(-10, 2),
    taper(-138, -1), taper(-46, 24), taper(-0, 44), taper(-38, 47), taper(49, 46), taper(-37, 27), taper(-52, 42), taper(-125, -34),
    taper(-13, 21), taper(8, 4), taper(-12, 22), taper(-23, 29), taper(-16, 31), taper(-22, 20), taper(-15, 41), taper(-26, 31),
    taper(-3, 2), taper(-7, -11), taper(-2, 16), taper(-18, 25), taper(-14, 19), taper(-5, 20), taper(-12, -12), taper(-3, -1),
    taper(-6, 29), taper(5, 21), taper(-10, 12), taper(-7, 22), taper(-7, 29), taper(-16, -1), taper(-4, 10), taper(-6, 9),
    taper(-4, 16), taper(-9, 34), taper(-8, 34), taper(0, 29), taper(4, 21), taper(-3, 28), taper(-11, 20), taper(6, 10),
    taper(-12, 23), taper(-15, 34), taper(-11, 45), taper(-3, 34), taper(2, 22), taper(-2, 22), taper(-1, 18), taper(-15, 22),
    taper(-6, 32), taper(10, 30), taper(-18, 16), taper(0, 26), taper(2, 21), taper(7, 33), taper(-1, 30), taper(7, 17),
    taper(-7, 34), taper(-14, 9), taper(12, 25), taper(-50, 49), taper(12, 27), taper(4, 39), taper(-24, 36), taper(21, 12),
    taper(-3, 13), taper(-12, 49), taper(-51, 33), taper(-74, 33), taper(-84, 49), taper(-74, 57), taper(-14, 41), taper(-47, 27),
    taper(-29, 30), taper(-27, 24), taper(-23, 20), taper(-21, 14), taper(-18, 11), taper(-23, 18), taper(-13, 7), taper(-19, 13),
    taper(-32, 44), taper(-29, 18), taper(-26, 30), taper(-21, 21), taper(-15, 15), taper(-8, 4), taper(-4, -1), taper(-30, 27),
    taper(-27, 37), taper(-31, 36), taper(-27, 30), taper(-26, 23), taper(-15, 23), taper(-24, 27), taper(-14, 23), taper(-17, 17),
    taper(-35, 46), taper(-23, 41), taper(-23, 32), taper(-24, 32), taper(-25, 40), taper(-27, 38), taper(-24, 30), taper(-19, 25),
    taper(-27, 46), taper(-17, 47), taper(-17, 46), taper(-5, 31), taper(-13, 35), taper(7, 21), taper(6, 31), taper(-3, 27),
    taper(-41, 58), taper(-10, 45), taper(-17, 46), taper(19, 22), taper(19, 27), taper(29, 18), taper(13, 41), taper(-7, 43),
    taper(6, 27), taper(12, 19), taper(23, 22), taper(13, 21), taper(21, 18), taper(39, 12), taper(36, 16), taper(51, 3),
    taper(-33, 50), taper(-7, 48), taper(-23, 62), taper(13, 43), taper(-6, 56), taper(13, 49), taper(62, 30), taper(-7, 50),
    taper(-12, 36), taper(-15, 24), taper(-15, 34), taper(-13, 32), taper(-9, 5), taper(-22, 15), taper(-23, 28), taper(37, -56),
    taper(-29, 69), taper(-14, 45), taper(-10, 40), taper(-5, 36), taper(-6, 36), taper(2, 6), taper(-0, 2), taper(-3, 5),
    taper(-12, 57), taper(-8, 46), taper(-11, 60), taper(-10, 51), taper(-8, 54), taper(-7, 53), taper(5, 40), taper(2, 10),
    taper(-13, 52), taper(-17, 74), taper(-11, 65), taper(-16, 82), taper(-18, 78), taper(-0, 42), taper(2, 50), taper(-6, 62),
    taper(-22, 77), taper(-12, 68), taper(-7, 72), taper(-17, 84), taper(-20, 81), taper(-0, 51), taper(-6, 66), taper(-10, 92),
    taper(-1, 55), taper(-1, 68), taper(-8, 84), taper(-11, 89), taper(8, 56), taper(-5, 79), taper(-8, 62), taper(2, 55),
    taper(-12, 60), taper(-14, 57), taper(-15, 93), taper(-26, 108), taper(-22, 100), taper(-6, 67), taper(21, 64), taper(40, 52),
    taper(-69, 98), taper(2, 35), taper(-16, 66), taper(-10, 89), taper(-25, 85), taper(-21, 103), taper(19, 120), taper(-6, 94),
    taper(2, -32), taper(29, -37), taper(32, -50), taper(2, -41), taper(18, -57), taper(0, -40), taper(20, -29), taper(28, -68),
    taper(39, -14), taper(23, -25), taper(9, -28), taper(-5, -36), taper(-6, -35), taper(-9, -23), taper(12, -13), taper(23, -27),
    taper(14, -46), taper(18, -16), taper(-9, -21), taper(-17, -22), taper(-42, -14), taper(-25, -13), taper(-9, -7), taper(-20, -21),
    taper(-24, -34), taper(-64, 14), taper(-24, -3), taper(-45, 4), taper(-36, -7), taper(-46, -3), taper(-58, 10), taper(-98, -7),
    taper(-52, 13), taper(27, 17), taper(-59, 39), taper(-159, 48), taper(-173, 59), taper(-116, 39), taper(-123, 56), taper(-154, 28),
    taper(-102, 44), taper(-72, 82), taper(-94, 85), taper(-136, 64), taper(-185, 52), taper(-147, 89), taper(-131, 92), taper(-83, 38),
    taper(-104, 49), taper(41, 43), taper(-86, 106), taper(-115, 67), taper(-139, 57), taper(-8, 57), taper(-75, 78), taper(-126, 40),
    taper(344, -116), taper(133, 67), taper(-12, 43), taper(-35, 50), taper(-39, -29), taper(-25, 27), taper(42, 23), taper(225, -293),
    // bishop pair: both colours of bishop
    taper(22, 53),
    // pawns: isolated: closed file, half-open file
    taper(-3, -6), taper(-3, -25),
    // pawns: doubled: apart, one behind the other
    taper(-1, -5), taper(4, -25),
    // pawns: backward: closed file, half-open file
    taper(-1, -5), taper(-11, -11),
    // pawns: beside a pawn, by rank
    taper(0, 0), taper(2, 1), taper(5, 4), taper(4, 6), taper(14, 23), taper(85, 72), taper(32, 201), taper(0, 0),
    // pawns: defended by a pawn, by rank
    taper(0, 0), taper(0, 0), taper(10, 9), taper(6, 7), taper(7, 19), taper(38, 34), taper(102, 98), taper(0, 0),
    // pawns: candidate passed pawn, by rank
    taper(0, 0), taper(4, -7), taper(7, -3), taper(3, 12), taper(6, 17), taper(12, 67), taper(0, 0), taper(0, 0),
    // pawns: pawn islands
    taper(-11, 12),
    // passed pawns: passed, by rank
    taper(0, 0), taper(5, 12), taper(5, 16), taper(-49, 47), taper(0, 66), taper(36, 77), taper(65, 104), taper(0, 0),
    // passed pawns: next square empty and not attacked, by rank
    taper(0, 0), taper(0, 0), taper(0, 0), taper(-3, 15), taper(-11, 36), taper(-5, 63), taper(-70, 141), taper(0, 0),
    // passed pawns: blocked by a piece, by rank
    taper(0, 0), taper(0, 0), taper(0, 0), taper(15, -6), taper(-2, -2), taper(-7, -5), taper(-55, -29), taper(0, 0),
    // passed pawns: distance of own king times rank
    taper(0, 0), taper(0, 0), taper(0, 0), taper(9, -15), taper(4, -18), taper(-3, -23), taper(4, -33), taper(0, 0),
    // passed pawns: distance of their king times rank
    taper(0, 0), taper(0, 0), taper(0, 0), taper(2, 12), taper(-1, 19), taper(2, 37), taper(2, 45), taper(0, 0),
    // passed pawns: next square defended, rook behind
    taper(22, 9), taper(4, 29),
    // passed pawns: outruns a lone king
    taper(-349, 229),
    // mobility: knight, by squares
    taper(-35, -7), taper(-34, -23), taper(-30, 14), taper(-24, 21), taper(-21, 30), taper(-18, 40), taper(-16, 44), taper(-9, 41),
    taper(-9, 37),
    // mobility: bishop, by squares
    taper(-33, -2), taper(-29, 9), taper(-21, 19), taper(-18, 28), taper(-14, 34), taper(-11, 40), taper(-10, 47), taper(-8, 50),
    taper(-7, 53), taper(-5, 53), taper(-1, 49), taper(13, 37), taper(-11, 62), taper(-32, 50),
    // mobility: rook, by squares
    taper(-50, -52), taper(-36, -6), taper(-27, 8), taper(-24, 13), taper(-26, 28), taper(-22, 29), taper(-22, 34), taper(-20, 37),
    taper(-16, 41), taper(-14, 43), taper(-13, 47), taper(-11, 51), taper(-11, 58), taper(-3, 55), taper(-2, 52),
    // mobility: queen, by squares
    taper(13, 66), taper(-31, 134), taper(-29, 75), taper(-25, 54), taper(-20, 9), taper(-20, 34), taper(-20, 64), taper(-20, 60),
    taper(-17, 67), taper(-17, 84), taper(-14, 84), taper(-14, 92), taper(-12, 94), taper(-10, 94), taper(-10, 99), taper(-10, 105),
    taper(-10, 110), taper(1, 99), taper(-2, 99), taper(-12, 96), taper(0, 88), taper(20, 74), taper(27, 52), taper(30, 39),
    taper(48, 14), taper(26, 57), taper(-21, 59), taper(47, -57),
    // rooks: rook on half-open file, open file
    taper(5, 7), taper(16, 7),
    // rooks: rook on the seventh with something to eat there
    taper(-22, 17),
    // rooks: rook shut in by its king, castling lost or not
    taper(-17, -14), taper(19, -39),
    // minor pieces: outpost: knight, bishop, defended knight, bishop
    taper(10, -9), taper(9, -7), taper(17, 2), taper(27, -5),
    // minor pieces: minor piece behind a pawn
    taper(4, 9),
    // minor pieces: own pawns on the bishop's colour, blocked ones
    taper(-1, -8), taper(-2, -8),
    // minor pieces: bishop that sees two squares of the centre
    taper(12, 16),
    // minor pieces: steps to own king: knight, bishop
    taper(-3, -5), taper(-3, -2),
    // minor pieces: own pawns: knights times, rooks times
    taper(2, 3), taper(8, -14),
    // threats: pawn attacks knight, bishop, rook, queen
    taper(36, 34), taper(30, 44), taper(49, 24), taper(40, 3),
    // threats: safe pawn push would attack a piece
    taper(8, 17),
    // threats: minor piece attacks pawn, knight, bishop, rook, queen
    taper(1, 14), taper(15, 28), taper(21, 20), taper(35, 25), taper(34, 27),
    // threats: rook attacks pawn, knight, bishop, rook, queen
    taper(-0, 19), taper(13, 27), taper(19, 29), taper(-1, 7), taper(30, 30),
    // threats: king attacks something loose
    taper(10, 18),
    // threats: attacked and not defended
    taper(2, 20),
    // threats: safe square from which a minor, a rook hits the queen
    taper(9, 1), taper(8, 9),
    // threats: contested squares that they can not use
    taper(3, -0),
    // king safety: own pawn before the king: file from edge, rank
    taper(-12, -13), taper(28, -46), taper(30, -37), taper(6, -24), taper(-8, -12), taper(-18, 29), taper(6, 53), taper(0, 0),
    taper(-19, -2), taper(19, -27), taper(11, -19), taper(-8, -8), taper(-19, 5), taper(-50, 45), taper(-17, 34), taper(0, 0),
    taper(-15, -4), taper(18, -15), taper(-5, -5), taper(-6, -1), taper(2, -5), taper(-3, 28), taper(2, 14), taper(0, 0),
    taper(-13, 3), taper(-13, 4), taper(-11, 0), taper(-16, 6), taper(-24, 13), taper(-39, 24), taper(-89, 40), taper(0, 0),
    // king safety: their pawn before the king: file from edge, rank
    taper(-17, -3), taper(80, -22), taper(3, 7), taper(-46, 28), taper(-18, 14), taper(-13, 3), taper(-13, 3), taper(0, 0),
    taper(-13, 3), taper(56, 3), taper(-36, 39), taper(-20, 22), taper(-9, 10), taper(1, 2), taper(-0, -1), taper(0, 0),
    taper(19, -7), taper(-109, 91), taper(-72, 33), taper(-9, 17), taper(20, 3), taper(22, -6), taper(25, -13), taper(0, 0),
    taper(1, -0), taper(21, -2), taper(-20, -5), taper(-12, 2), taper(-1, -5), taper(5, -1), taper(-1, 4), taper(0, 0),
    // king safety: their pawn stopped by ours, by rank
    taper(0, 0), taper(0, 0), taper(-15, -35), taper(2, -6), taper(9, -16), taper(15, -14), taper(17, -22), taper(0, 0),
    // king safety: king on half-open, their half-open, open file
    taper(-6, 2), taper(-7, 6), taper(-15, -9),
    // king safety: steps from the king to the nearest pawn
    taper(4, -14),
    // space: safe squares behind the own centre, times pieces
    taper(2, 1),
    // tempo: the right to move
    taper(20, 24),
];

/// Units of danger to a king.
#[rustfmt::skip]
pub(crate) static DANGER_WEIGHTS: [i32; DANGER_COUNT] = [
    73, 46, 36, -11, // attackers: knight, bishop, rook, queen
    30, // attacks on squares at the king
    43, // squares at the king without a proper defender
    174, 88, 175, 155, // safe checks: knight, bishop, rook, queen
    19, // squares for other checks
    29, // pieces bound to the king's defence
    -261, // attack without a queen
    13, -19, // attacks and defences on the king's flank
    -23, // a knight beside the king
    146, // constant
];
