// Positions that everybody has heard of, for those who do not know what to practise yet.

import type { Start } from './api';

export interface Known {
  name: string;
  start: Start;
}

const opening = (name: string, moves: string): Known => ({ name, start: { moves: moves.split(' ') } });

export const KNOWN: Known[] = [
  opening('Ruy Lopez', 'e2e4 e7e5 g1f3 b8c6 f1b5'),
  opening('Italian Game', 'e2e4 e7e5 g1f3 b8c6 f1c4'),
  opening('Sicilian Defense: Najdorf Variation', 'e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6'),
  opening('Caro-Kann Defense', 'e2e4 c7c6 d2d4 d7d5'),
  opening('French Defense', 'e2e4 e7e6 d2d4 d7d5'),
  opening("Queen's Gambit Declined", 'd2d4 d7d5 c2c4 e7e6'),
  opening('London System', 'd2d4 d7d5 g1f3 g8f6 c1f4'),
  opening("King's Indian Defense", 'd2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6'),
];

export function practiseAddress({ name, start }: Known): string {
  return `#/practise?${new URLSearchParams({ moves: (start.moves ?? []).join(','), title: name })}`;
}
