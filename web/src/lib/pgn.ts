// Pasted text: a FEN, or the moves of a game.

import { parseFen } from 'chessops/fen';
import { makePgn, parsePgn, startingPosition, type Game, type PgnNodeData } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { makeUci } from 'chessops/util';

import type { Start } from './api';
import { positionOf } from './line';

/** One game of several. */
export interface Part {
  title: string;
  result: string;
  pgn: string;
}

const isGame = (game: Game<PgnNodeData>) => game.moves.children.length > 0 || game.headers.has('FEN');

/** The games of a text, each by itself. */
export function parts(text: string): Part[] {
  return parsePgn(text)
    .filter(isGame)
    .map((game) => {
      const tag = (name: string) => game.headers.get(name) ?? '?';
      return { title: `${tag('White')} – ${tag('Black')}`, result: tag('Result'), pgn: makePgn(game) };
    });
}

export function startOf(text: string): Start | string {
  const trimmed = text.trim();
  if (!trimmed) return 'Paste a FEN or a PGN.';
  if (parseFen(trimmed).isOk) {
    return positionOf(trimmed) ? { fen: trimmed } : 'This FEN is not a position that can be played.';
  }
  const game = parsePgn(trimmed).find(isGame);
  if (!game) return 'This is neither a FEN nor a PGN. A FEN looks like “8/8/8/4k3/8/8/4P3/4K3 w - - 0 1”, a PGN like “1. e4 e5 2. Nf3”.';
  const start = startingPosition(game.headers);
  if (start.isErr) return 'The PGN starts from a position that cannot be played.';
  const position = start.value;
  const moves: string[] = [];
  for (const node of game.moves.mainline()) {
    const move = parseSan(position, node.san);
    if (!move) return `${numbered(moves.length, node.san)} cannot be played there.`;
    moves.push(makeUci(move));
    position.play(move);
  }
  const fen = game.headers.get('FEN');
  return { moves, ...(fen && { fen }) };
}

function numbered(ply: number, san: string): string {
  return `${Math.floor(ply / 2) + 1}${ply % 2 ? '…' : '.'} ${san}`;
}
