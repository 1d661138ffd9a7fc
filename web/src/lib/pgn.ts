// Pasted text: a FEN, or the moves of a game.

import { parseFen } from 'chessops/fen';
import { makePgn, parsePgn, startingPosition, type Game, type PgnNodeData } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { makeUci } from 'chessops/util';

import type { Start } from './api';
import { positionOf } from './line';
import { t } from './messages.svelte';

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
  if (!trimmed) return t('Paste a FEN or a PGN.');
  if (parseFen(trimmed).isOk) {
    return positionOf(trimmed) ? { fen: trimmed } : t('This FEN is not a position that can be played.');
  }
  const game = parsePgn(trimmed).find(isGame);
  if (!game) return t('This is neither a FEN nor a PGN. A FEN looks like “{fen}”, a PGN like “{pgn}”.', { fen: '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1', pgn: '1. e4 e5 2. Nf3' });
  const start = startingPosition(game.headers);
  if (start.isErr) return t('The PGN starts from a position that cannot be played.');
  const position = start.value;
  const moves: string[] = [];
  for (const node of game.moves.mainline()) {
    const move = parseSan(position, node.san);
    if (!move) return t('{move} cannot be played there.', { move: numbered(moves.length, node.san) });
    moves.push(makeUci(move));
    position.play(move);
  }
  const fen = game.headers.get('FEN');
  return { moves, ...(fen && { fen }) };
}

function numbered(ply: number, san: string): string {
  return `${Math.floor(ply / 2) + 1}${ply % 2 ? '…' : '.'} ${san}`;
}
