// Where a repertoire meets the games of somebody whom one prepares against.

import type { Person, PersonBook, PersonChoice, Repertoire, Side } from './api';
import { treeOf } from './drill';
import { numberOf, type MoveNode } from './tree.svelte';
import { t } from './messages.svelte';
import { other } from './words';

/** A position as a book names it: a FEN without its counters. */
export function keyOf(fen: string): string {
  return fen.split(' ').slice(0, 4).join(' ');
}

export function choicesIn(book: PersonBook, side: Side, fen: string): PersonChoice[] {
  return book[side][keyOf(fen)] ?? [];
}

/** One's own score against somebody's, as tables have it. */
export function score(choice: { games: number; points: number }): number {
  return choice.games ? choice.points / choice.games : 0;
}

export interface Meeting {
  key: string;
  /** What led there, for reading and for walking. */
  line: string;
  moves: string[];
  /** Games of the person that came so far. */
  games: number;
  points: number;
  kind: 'unprepared' | 'deviates' | 'ends';
  /** The move of hers that the repertoire has no answer to, or one's own that she has never met. */
  san: string;
}

function written(path: MoveNode[]): string {
  return path.map((node, i) => (i === 0 || node.ply % 2 ? `${numberOf(node)} ` : '') + node.san).join(' ');
}

/**
 * Follows a repertoire as far as a person's games go: her moves that it has no answer to, and its moves that she has not met. What comes
 * most often is first.
 */
export function meetings(repertoire: Repertoire, book: PersonBook, sanOf: (fen: string, uci: string) => string | undefined): Meeting[] {
  const own = repertoire.color;
  const hers = other(own);
  const found: Meeting[] = [];
  const waiting: { node: MoveNode; path: MoveNode[] }[] = [{ node: treeOf(repertoire).root, path: [] }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, path } = next;
    const choices = choicesIn(book, hers, node.fen);
    if (!choices.length) continue;
    const games = choices.reduce((sum, each) => sum + each.games, 0);
    const points = choices.reduce((sum, each) => sum + each.points, 0);
    const [line, moves] = [written(path), path.map((each) => each.uci)];
    const meet = (kind: Meeting['kind'], san: string, uci: string, from: { games: number; points: number }) =>
      found.push({ key: `${repertoire.id}/${moves.join()}/${uci}`, line, moves: uci ? [...moves, uci] : moves, kind, san, ...from });
    if (!node.children.length) {
      if (node.turn === own) meet('ends', '', '', { games, points });
      continue;
    }
    if (node.turn === hers) {
      for (const choice of choices) {
        const known = node.children.find((child) => child.uci === choice.uci);
        if (!known) meet('unprepared', sanOf(node.fen, choice.uci) ?? choice.uci, choice.uci, choice);
      }
    }
    for (const child of node.children) {
      const met = choices.find((choice) => choice.uci === child.uci);
      if (met) waiting.push({ node: child, path: [...path, child] });
      else if (node.turn === own) meet('deviates', child.san, child.uci, { games: 0, points: 0 });
    }
  }
  return found.sort((a, b) => b.games - a.games || a.moves.length - b.moves.length);
}

/** What was measured about the mind that plays like her, in a sentence. */
export function measured({ report, clone, done, games, player }: Person): string {
  if (!done) return '';
  const points = (value: number) => (100 * value).toFixed(1);
  if (!report) return t('{count} games are too few to learn more than the moves in them. Where they end, people of the same rating play on.', { count: games });
  const { top1_gain: gain, held_out_moves: moves, clone: made, base } = report;
  const foreseen = t('Of {moves} moves in games that were kept apart it foresees {own} %; people of the rating {base} % ({gain}, 95 % between {low} and {high}).', {
    moves, own: points(made.top1), base: points(base.top1), gain: `${gain.value >= 0 ? '+' : ''}${points(gain.value)}`, low: points(gain.low), high: points(gain.high),
  });
  return clone ? foreseen : `${foreseen} ${t("A network of {name}'s own made nothing better, so people of the same rating play on where the games end.", { name: player })}`;
}
