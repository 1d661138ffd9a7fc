//! The weights of the hand-made evaluation, in centipawns, as `tabiya tune` wrote them.

use super::{
    features::{COUNT, DANGER_COUNT},
    taper::{Taper, taper},
};

/// Opening and endgame weight of each feature, in the order of `features.rs`.
#[rustfmt::skip]
pub(crate) static WEIGHTS: [Taper; COUNT] = [
    // material: pawn, knight, bishop, rook, queen
    taper(35, 192), taper(360, 545), taper(382, 562), taper(483, 872), taper(1230, 1452),
    // piece squares: role, then square from a1 by ranks, own side below
    taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0),
    taper(-12, 24), taper(-19, 13), taper(-4, 11), taper(5, 6), taper(8, 17), taper(-8, 16), taper(-0, 11), taper(-20, 30),
    taper(-20, 17), taper(-25, 11), taper(-11, -4), taper(-12, 4), taper(2, 2), taper(-9, 6), taper(-5, 3), taper(-37, 18),
    taper(-5, 26), taper(-17, 18), taper(-8, -5), taper(-3, -21), taper(8, -19), taper(2, 1), taper(-3, 10), taper(-2, 20),
    taper(8, 40), taper(-7, 19), taper(-9, 15), taper(-5, -14), taper(12, -16), taper(-14, 13), taper(13, 23), taper(14, 27),
    taper(-1, 65), taper(6, 23), taper(2, 25), taper(35, 19), taper(28, 40), taper(12, 21), taper(70, 32), taper(28, 43),
    taper(7, 68), taper(20, 39), taper(50, 75), taper(107, 99), taper(142, 77), taper(-37, 105), taper(21, 99), taper(25, 86),
    taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0), taper(0, 0),
    taper(-42, 1), taper(-10, 5), taper(-17, 34), taper(-24, 58), taper(-3, 29), taper(-28, 27), taper(-21, 2), taper(-44, -14),
    taper(-41, 4), taper(-25, 49), taper(5, 19), taper(-8, 30), taper(-7, 24), taper(-12, 23), taper(-32, 38), taper(-23, 11),
    taper(-8, 15), taper(1, 26), taper(5, 20), taper(2, 46), taper(8, 46), taper(0, 16), taper(2, 19), taper(-8, 22),
    taper(10, 35), taper(25, 38), taper(19, 54), taper(15, 55), taper(18, 63), taper(25, 34), taper(25, 50), taper(3, 49),
    taper(32, 41), taper(21, 39), taper(20, 55), taper(29, 68), taper(18, 48), taper(23, 66), taper(18, 48), taper(24, 23),
    taper(-4, 58), taper(27, 45), taper(22, 53), taper(43, 51), taper(59, 48), taper(49, 78), taper(-5, 23), taper(77, -27),
    taper(4, 42), taper(5, 56), taper(47, 29), taper(58, 65), taper(61, 29), taper(151, 18), taper(73, 56), taper(-0, 14),
    taper(-204, -0), taper(-46, 44), taper(21, 77), taper(-22, 75), taper(91, 83), taper(-28, 45), taper(-31, 63), taper(-181, -36),
    taper(-1, 41), taper(32, 17), taper(-1, 48), taper(-18, 58), taper(-8, 64), taper(-18, 47), taper(-7, 81), taper(-25, 63),
    taper(15, 14), taper(7, -7), taper(15, 39), taper(-11, 52), taper(-4, 45), taper(10, 46), taper(-2, -6), taper(13, 14),
    taper(9, 56), taper(27, 43), taper(4, 30), taper(7, 47), taper(7, 59), taper(-7, 11), taper(12, 29), taper(9, 27),
    taper(14, 31), taper(5, 61), taper(7, 63), taper(20, 55), taper(26, 43), taper(15, 55), taper(1, 42), taper(29, 25),
    taper(2, 40), taper(-4, 60), taper(3, 76), taper(16, 58), taper(23, 42), taper(17, 41), taper(18, 36), taper(-2, 39),
    taper(11, 53), taper(38, 50), taper(-6, 28), taper(22, 44), taper(25, 36), taper(34, 54), taper(23, 49), taper(33, 30),
    taper(7, 63), taper(-3, 22), taper(38, 50), taper(-57, 86), taper(40, 52), taper(27, 69), taper(-20, 63), taper(49, 29),
    taper(9, 32), taper(3, 87), taper(-59, 59), taper(-90, 59), taper(-83, 78), taper(-78, 91), taper(7, 69), taper(-55, 49),
    taper(-19, 72), taper(-14, 61), taper(-8, 54), taper(-5, 44), taper(-0, 39), taper(-7, 52), taper(7, 34), taper(-3, 45),
    taper(-22, 93), taper(-16, 50), taper(-12, 69), taper(-4, 56), taper(6, 44), taper(17, 27), taper(25, 18), taper(-18, 64),
    taper(-13, 80), taper(-20, 79), taper(-13, 70), taper(-12, 59), taper(6, 57), taper(-7, 62), taper(9, 56), taper(2, 49),
    taper(-27, 95), taper(-7, 85), taper(-7, 72), taper(-9, 72), taper(-10, 83), taper(-13, 81), taper(-8, 69), taper(0, 62),
    taper(-12, 94), taper(3, 95), taper(3, 92), taper(22, 69), taper(10, 75), taper(43, 52), taper(41, 68), taper(26, 62),
    taper(-35, 112), taper(16, 91), taper(5, 93), taper(61, 53), taper(62, 60), taper(76, 49), taper(51, 86), taper(21, 86),
    taper(14, 71), taper(23, 59), taper(42, 62), taper(27, 60), taper(40, 55), taper(66, 47), taper(59, 54), taper(85, 33),
    taper(-20, 97), taper(22, 93), taper(1, 114), taper(56, 84), taper(25, 106), taper(46, 101), taper(111, 73), taper(23, 95),
    taper(18, 100), taper(12, 81), taper(13, 97), taper(15, 94), taper(22, 52), taper(2, 66), taper(1, 87), taper(81, -14),
    taper(-9, 149), taper(13, 115), taper(21, 106), taper(28, 100), taper(26, 99), taper(40, 51), taper(35, 49), taper(31, 57),
    taper(18, 134), taper(24, 116), taper(20, 136), taper(20, 121), taper(25, 126), taper(25, 126), taper(45, 107), taper(40, 56),
    taper(16, 125), taper(10, 159), taper(20, 142), taper(12, 170), taper(9, 163), taper(36, 109), taper(39, 123), taper(27, 142),
    taper(2, 164), taper(19, 146), taper(26, 153), taper(9, 174), taper(6, 165), taper(36, 123), taper(29, 143), taper(21, 186),
    taper(36, 127), taper(38, 145), taper(25, 174), taper(20, 178), taper(49, 129), taper(33, 157), taper(26, 133), taper(40, 124),
    taper(17, 139), taper(15, 129), taper(18, 178), taper(11, 190), taper(12, 184), taper(35, 134), taper(76, 131), taper(101, 125),
    taper(-59, 181), taper(38, 101), taper(23, 133), taper(40, 166), taper(24, 145), taper(44, 169), taper(95, 201), taper(45, 168),
    taper(-4, -49), taper(39, -56), taper(39, -73), taper(-6, -59), taper(19, -82), taper(-11, -57), taper(25, -42), taper(37, -106),
    taper(54, -18), taper(29, -37), taper(6, -39), taper(-17, -51), taper(-18, -48), taper(-26, -29), taper(11, -17), taper(28, -40),
    taper(14, -69), taper(28, -25), taper(-17, -29), taper(-30, -28), taper(-72, -15), taper(-45, -17), taper(-19, -9), taper(-39, -31),
    taper(-18, -56), taper(-85, 20), taper(-27, -2), taper(-65, 11), taper(-49, -7), taper(-66, -2), taper(-86, 16), taper(-135, -14),
    taper(-35, 14), taper(56, 26), taper(-46, 58), taper(-192, 72), taper(-217, 90), taper(-141, 59), taper(-145, 80), taper(-189, 35),
    taper(-63, 55), taper(-18, 114), taper(-53, 122), taper(-100, 89), taper(-195, 73), taper(-122, 125), taper(-105, 127), taper(-67, 49),
    taper(-48, 62), taper(100, 68), taper(9, 148), taper(-53, 94), taper(-100, 77), taper(40, 92), taper(5, 107), taper(-71, 48),
    taper(260, -58), taper(186, 150), taper(58, 85), taper(31, 92), taper(-18, -19), taper(47, 51), taper(116, 72), taper(122, -282),
    // bishop pair: both colours of bishop
    taper(35, 83),
    // pawns: isolated: closed file, half-open file
    taper(-5, -10), taper(-6, -38),
    // pawns: doubled: apart, one behind the other
    taper(-1, -9), taper(7, -40),
    // pawns: backward: closed file, half-open file
    taper(-2, -8), taper(-17, -18),
    // pawns: beside a pawn, by rank
    taper(0, 0), taper(3, 1), taper(8, 6), taper(6, 9), taper(23, 34), taper(139, 104), taper(112, 232), taper(0, 0),
    // pawns: defended by a pawn, by rank
    taper(0, 0), taper(0, 0), taper(16, 14), taper(9, 11), taper(12, 29), taper(62, 49), taper(170, 143), taper(0, 0),
    // pawns: candidate passed pawn, by rank
    taper(0, 0), taper(7, -11), taper(11, -7), taper(5, 17), taper(9, 25), taper(21, 97), taper(0, 0), taper(0, 0),
    // pawns: pawn islands
    taper(-19, 21),
    // passed pawns: passed, by rank
    taper(0, 0), taper(9, 16), taper(9, 22), taper(-46, 54), taper(10, 87), taper(35, 79), taper(72, 111), taper(0, 0),
    // passed pawns: next square empty and not attacked, by rank
    taper(0, 0), taper(0, 0), taper(0, 0), taper(-6, 26), taper(-17, 56), taper(-7, 102), taper(6, 195), taper(0, 0),
    // passed pawns: blocked by a piece, by rank
    taper(0, 0), taper(0, 0), taper(0, 0), taper(19, -4), taper(-5, -1), taper(-13, -1), taper(-60, -43), taper(0, 0),
    // passed pawns: distance of own king times rank
    taper(0, 0), taper(0, 0), taper(0, 0), taper(8, -21), taper(4, -26), taper(-0, -32), taper(6, -37), taper(0, 0),
    // passed pawns: distance of their king times rank
    taper(0, 0), taper(0, 0), taper(0, 0), taper(2, 19), taper(-2, 31), taper(3, 61), taper(14, 76), taper(0, 0),
    // passed pawns: next square defended, rook behind
    taper(31, 20), taper(6, 46),
    // passed pawns: outruns a lone king
    taper(1, 332),
    // mobility: knight, by squares
    taper(-14, 23), taper(-14, -3), taper(-7, 57), taper(2, 68), taper(7, 81), taper(12, 97), taper(16, 104), taper(27, 98),
    taper(27, 92),
    // mobility: bishop, by squares
    taper(-20, 20), taper(-13, 38), taper(0, 52), taper(5, 68), taper(11, 78), taper(16, 86), taper(18, 98), taper(21, 103),
    taper(22, 107), taper(25, 109), taper(32, 101), taper(54, 84), taper(15, 121), taper(-19, 103),
    // mobility: rook, by squares
    taper(-42, -45), taper(-23, 38), taper(-8, 62), taper(-4, 71), taper(-6, 94), taper(-1, 95), taper(-1, 103), taper(3, 108),
    taper(8, 114), taper(13, 117), taper(14, 123), taper(17, 129), taper(18, 139), taper(31, 134), taper(31, 131),
    // mobility: queen, by squares
    taper(99, 118), taper(24, 235), taper(13, 163), taper(19, 138), taper(27, 72), taper(26, 117), taper(25, 166), taper(26, 161),
    taper(31, 173), taper(30, 200), taper(35, 201), taper(35, 215), taper(39, 218), taper(40, 219), taper(40, 228), taper(40, 239),
    taper(39, 248), taper(57, 232), taper(51, 234), taper(36, 231), taper(58, 214), taper(85, 199), taper(97, 162), taper(99, 146),
    taper(119, 111), taper(120, 150), taper(65, 141), taper(77, 17),
    // rooks: rook on half-open file, open file
    taper(8, 11), taper(25, 13),
    // rooks: rook on the seventh with something to eat there
    taper(-9, 19),
    // rooks: rook shut in by its king, castling lost or not
    taper(-29, -16), taper(29, -59),
    // minor pieces: outpost: knight, bishop, defended knight, bishop
    taper(14, -8), taper(11, -4), taper(26, 7), taper(41, -4),
    // minor pieces: minor piece behind a pawn
    taper(6, 15),
    // minor pieces: own pawns on the bishop's colour, blocked ones
    taper(-2, -12), taper(-3, -13),
    // minor pieces: bishop that sees two squares of the centre
    taper(19, 27),
    // minor pieces: steps to own king: knight, bishop
    taper(-6, -6), taper(-5, -2),
    // minor pieces: own pawns: knights times, rooks times
    taper(4, 3), taper(14, -24),
    // threats: pawn attacks knight, bishop, rook, queen
    taper(58, 49), taper(50, 66), taper(82, 35), taper(67, -4),
    // threats: safe pawn push would attack a piece
    taper(13, 25),
    // threats: minor piece attacks pawn, knight, bishop, rook, queen
    taper(2, 22), taper(24, 43), taper(34, 30), taper(57, 35), taper(55, 39),
    // threats: rook attacks pawn, knight, bishop, rook, queen
    taper(-1, 31), taper(22, 40), taper(32, 44), taper(-1, 10), taper(56, 25),
    // threats: king attacks something loose
    taper(12, 28),
    // threats: attacked and not defended
    taper(2, 32),
    // threats: safe square from which a minor, a rook hits the queen
    taper(15, -0), taper(13, 12),
    // threats: contested squares that they can not use
    taper(5, -0),
    // king safety: own pawn before the king: file from edge, rank
    taper(-25, -14), taper(40, -67), taper(44, -52), taper(6, -34), taper(-16, -13), taper(-22, 53), taper(9, 108), taper(0, 0),
    taper(-33, 1), taper(30, -41), taper(16, -28), taper(-13, -10), taper(-31, 11), taper(-68, 75), taper(-21, 69), taper(0, 0),
    taper(-25, -5), taper(30, -24), taper(-8, -9), taper(-11, -1), taper(1, -5), taper(-2, 49), taper(-26, 56), taper(0, 0),
    taper(-19, 5), taper(-17, 7), taper(-15, 1), taper(-23, 11), taper(-35, 22), taper(-57, 40), taper(-94, 60), taper(0, 0),
    // king safety: their pawn before the king: file from edge, rank
    taper(-25, -5), taper(70, -47), taper(13, -7), taper(-69, 40), taper(-25, 20), taper(-18, 2), taper(-18, 2), taper(0, 0),
    taper(-17, 5), taper(53, -20), taper(-41, 42), taper(-28, 33), taper(-10, 14), taper(6, 2), taper(3, -2), taper(0, 0),
    taper(24, -6), taper(-119, 95), taper(-107, 42), taper(-20, 30), taper(25, 8), taper(29, -5), taper(34, -16), taper(0, 0),
    taper(-1, 1), taper(7, -18), taper(-29, -16), taper(-21, 4), taper(-4, -6), taper(6, 0), taper(-3, 9), taper(0, 0),
    // king safety: their pawn stopped by ours, by rank
    taper(0, 0), taper(0, 0), taper(-22, -55), taper(3, -9), taper(13, -24), taper(23, -22), taper(18, -39), taper(0, 0),
    // king safety: king on half-open, their half-open, open file
    taper(-9, 4), taper(-12, 10), taper(-24, -14),
    // king safety: steps from the king to the nearest pawn
    taper(6, -22),
    // space: safe squares behind the own centre, times pieces
    taper(4, 3),
    // tempo: the right to move
    taper(33, 37),
];

/// Units of danger to a king.
#[rustfmt::skip]
pub(crate) static DANGER_WEIGHTS: [i32; DANGER_COUNT] = [
    92, 57, 42, -8, // attackers: knight, bishop, rook, queen
    39, // attacks on squares at the king
    56, // squares at the king without a proper defender
    220, 109, 224, 200, // safe checks: knight, bishop, rook, queen
    24, // squares for other checks
    37, // pieces bound to the king's defence
    -283, // attack without a queen
    17, -24, // attacks and defences on the king's flank
    -30, // a knight beside the king
    179, // constant
];
