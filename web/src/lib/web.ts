// The lines between pieces, and what is said of them.

import type { WebEdge } from './api';
import { rowsOf } from './line';
import { msg, t } from './messages.svelte';

export interface WebLook {
  attack: boolean;
  defence: boolean;
  ray: boolean;
  /** What the network makes of the lines in place of what is at stake; a layer from 0, or -1 for the mean of all. */
  attention: boolean;
  layer: number;
}

/** How strongly a line is drawn, from 0 to 1. */
export function strength(edge: WebEdge, look: WebLook): number {
  if (look.attention && edge.attention.length) {
    if (look.layer >= 0) return edge.attention[look.layer] ?? 0;
    return edge.attention.reduce((sum, each) => sum + each, 0) / edge.attention.length;
  }
  // A ray has no weight: the freer it is, the stronger it looks.
  if (edge.kind === 'ray') return (edge.slides ? 0.5 : 0.15) / (1 + edge.blockers);
  return edge.kind === 'defence' ? 0.35 * edge.weight : edge.weight;
}

/** Every piece of a position with its square, for choosing one without a pointer. */
export function piecesOf(fen: string): { square: string; piece: string }[] {
  return rowsOf(fen, 'white').flat().filter((cell) => cell.piece).map(({ square, piece }) => ({ square, piece }));
}

/** A line in words. */
export function described(edge: WebEdge, look: WebLook, names: Map<string, string>): string {
  const name = (square: string) => `${t(names.get(square) ?? '')} ${square}`;
  const ray = !edge.blockers ? msg('{one} is on a line with {other}') : edge.blockers > 1 ? msg('{one} sees {other} behind {count} pieces') : msg('{one} sees {other} behind a piece');
  const sentence = { attack: msg('{one} attacks {other}'), defence: msg('{one} defends {other}'), ray }[edge.kind];
  const value = look.attention ? strength(edge, look) : edge.kind === 'attack' ? edge.weight : undefined;
  const said = t(sentence, { one: name(edge.from), other: name(edge.to), count: edge.blockers });
  return `${said}${edge.pinned ? `, ${t('pinned')}` : ''}${value === undefined ? '' : ` (${value.toFixed(2)})`}`;
}
