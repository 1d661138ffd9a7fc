// A game as positions one can step through.

import { Chess, type Position } from 'chessops/chess';
import { chessgroundDests } from 'chessops/compat';
import { makeFen, parseFen } from 'chessops/fen';
import { makeSanAndPlay, parseSan } from 'chessops/san';
import { makeUci, parseSquare, parseUci } from 'chessops/util';
import type { Move } from 'chessops/types';

import type { Side } from './api';
import { msg } from './messages.svelte';

export const START_FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

export interface Station {
  fen: string;
  san: string;
  uci: string;
  check: boolean;
  turn: Side;
}

export function positionOf(fen: string): Position | undefined {
  return parseFen(fen).chain((setup) => Chess.fromSetup(setup)).unwrap((position) => position, () => undefined);
}

/** The start and the position after each move, as far as the moves are legal. */
export function stations(startFen: string, moves: string[]): Station[] {
  const position = positionOf(startFen);
  if (!position) return [];
  const first = { fen: startFen, san: '', uci: '', check: position.isCheck(), turn: position.turn };
  const all: Station[] = [first];
  for (const uci of moves) {
    const move = legal(position, uci);
    if (!move) break;
    const san = makeSanAndPlay(position, move);
    all.push({ fen: makeFen(position.toSetup()), san, uci, check: position.isCheck(), turn: position.turn });
  }
  return all;
}

function legal(position: Position, uci: string): Move | undefined {
  const move = parseUci(uci);
  return move && position.isLegal(move) ? move : undefined;
}

/** The position after one more move, if it is legal. */
export function after(fen: string, uci: string): Station | undefined {
  return stations(fen, [uci])[1];
}

export function destinations(fen: string): Map<string, string[]> {
  const position = positionOf(fen);
  return position ? (chessgroundDests(position) as Map<string, string[]>) : new Map();
}

/** Whether a pawn would have to become something else. */
export function promotes(fen: string, from: string, to: string): boolean {
  const position = positionOf(fen);
  const square = parseSquare(from);
  if (!position || square === undefined) return false;
  return position.board.get(square)?.role === 'pawn' && (to[1] === '1' || to[1] === '8');
}

/** A typed move, in the notation of books or of engines. */
export function typed(fen: string, text: string): string | undefined {
  const position = positionOf(fen);
  if (!position) return undefined;
  const move = legal(position, text.toLowerCase()) ?? parseSan(position, text.replace(/0/g, 'O'));
  return move && makeUci(move);
}

/** Whose opening a line is: whoever made its last move chose it. */
export function studentOf(line: Station[]): Side {
  const last = line.at(-1);
  return last && line.length > 1 ? (last.turn === 'white' ? 'black' : 'white') : 'white';
}

/** The squares that a move is shown by; castling by the king's own way. */
export function squaresOf(uci: string): [string, string] {
  return [uci.slice(0, 2), uci.slice(2, 4)];
}

export interface Cell {
  square: string;
  shade: 'light' | 'dark';
  /** `white knight`, to be said through `t`; nothing on an empty square. */
  piece: string;
  /** Capital for White, as in a FEN. */
  letter: string;
}

const PIECES: Record<string, string> = {
  P: msg('white pawn'), N: msg('white knight'), B: msg('white bishop'), R: msg('white rook'), Q: msg('white queen'), K: msg('white king'),
  p: msg('black pawn'), n: msg('black knight'), b: msg('black bishop'), r: msg('black rook'), q: msg('black queen'), k: msg('black king'),
};

/** The board row by row, as the side at the bottom reads it. */
export function rowsOf(fen: string, orientation: Side): Cell[][] {
  const rows = (fen.split(' ')[0] ?? '').split('/').map((row, top) => {
    const letters = [...row.replace(/\d/g, (digit) => '.'.repeat(Number(digit)))];
    return letters.map((letter, file): Cell => ({
      square: `${'abcdefgh'[file]}${8 - top}`,
      shade: (file + top) % 2 ? 'dark' : 'light',
      piece: PIECES[letter] ?? '',
      letter: letter === '.' ? '' : letter,
    }));
  });
  return orientation === 'white' ? rows : rows.reverse().map((row) => row.reverse());
}

const VALUES: Record<string, number> = { p: 1, n: 3, b: 3, r: 5, q: 9 };

export interface Balance {
  /** Pieces that each side has more of, by letter. */
  extra: Record<Side, string[]>;
  /** What White is ahead by, in pawns. */
  lead: number;
}

export function balance(fen: string): Balance {
  const counts: Record<string, number> = {};
  for (const letter of fen.split(' ')[0] ?? '') counts[letter] = (counts[letter] ?? 0) + 1;
  const extra: Record<Side, string[]> = { white: [], black: [] };
  let lead = 0;
  for (const letter of ['q', 'r', 'b', 'n', 'p']) {
    const more = (counts[letter.toUpperCase()] ?? 0) - (counts[letter] ?? 0);
    lead += more * (VALUES[letter] ?? 0);
    for (let i = 0; i < Math.abs(more); i++) extra[more > 0 ? 'white' : 'black'].push(letter);
  }
  return { extra, lead };
}
