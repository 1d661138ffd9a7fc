// Pasted text: a FEN, or the moves of a game.

import { parseFen } from 'chessops/fen';
import { parsePgn, startingPosition } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { makeUci } from 'chessops/util';

import type { Start } from './api';
import { positionOf } from './line';

export function startOf(text: string): Start | string {
  const trimmed = text.trim();
  if (!trimmed) return 'Paste a FEN or a PGN.';
  if (parseFen(trimmed).isOk) {
    return positionOf(trimmed) ? { fen: trimmed } : 'This FEN is not a position that can be played.';
  }
  const game = parsePgn(trimmed)[0];
  const nodes = game ? [...game.moves.mainline()] : [];
  if (!game || (nodes.length === 0 && !game.headers.has('FEN'))) return 'This is neither a FEN nor a PGN.';
  const start = startingPosition(game.headers);
  if (start.isErr) return 'The PGN starts from a position that cannot be played.';
  const position = start.value;
  const moves: string[] = [];
  for (const node of nodes) {
    const move = parseSan(position, node.san);
    if (!move) return `The move ${node.san} after ${moves.length} half-moves cannot be played.`;
    moves.push(makeUci(move));
    position.play(move);
  }
  const fen = game.headers.get('FEN');
  return { moves, ...(fen && { fen }) };
}
