// The lines between pieces, and what is said of them.

import type { WebEdge } from './api';
import { rowsOf } from './line';

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
  const name = (square: string) => `${names.get(square) ?? ''} ${square}`;
  const verb = { attack: 'attacks', defence: 'defends', ray: edge.blockers ? `sees, behind ${edge.blockers} ${edge.blockers > 1 ? 'pieces' : 'piece'},` : 'is on a line with' }[edge.kind];
  const value = look.attention ? strength(edge, look) : edge.kind === 'attack' ? edge.weight : undefined;
  return `${name(edge.from)} ${verb} ${name(edge.to)}${edge.pinned ? ', pinned' : ''}${value === undefined ? '' : ` (${value.toFixed(2)})`}`;
}
