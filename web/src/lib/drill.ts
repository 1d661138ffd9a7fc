// What a repertoire asks for, and how far it is known.

import type { MemoryState, Repertoire, Side } from './api';
import { isDue, isKnown } from './memory';
import { Tree, type MoveNode } from './tree.svelte';

export type Memories = Record<string, MemoryState | undefined>;

/** A position is remembered by what is on the board, so that transpositions count once. */
export function keyOf(repertoire: string, fen: string): string {
  return `r/${repertoire}/${fen.split(' ').slice(0, 4).join(' ')}`;
}

export function treeOf({ pgn }: Repertoire): Tree {
  const read = Tree.read(pgn);
  return typeof read === 'string' ? new Tree() : read;
}

/** The positions in which the player has an answer, from a node on. */
export function asked(node: MoveNode, own: Side): MoveNode[] {
  const all: MoveNode[] = [];
  const waiting = [node];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.turn === own && next.children.length) all.push(next);
    waiting.push(...next.children);
  }
  return all;
}

export interface LineProgress {
  key: number;
  name: string;
  positions: number;
  known: number;
  due: boolean;
}

/** Every line of a repertoire, with how much of it is known. */
export function linesOf(tree: Tree, repertoire: Repertoire, memories: Memories): LineProgress[] {
  const lines: LineProgress[] = [];
  const waiting: MoveNode[] = [tree.root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.children.length || !node.parent) {
      waiting.push(...[...node.children].reverse());
      continue;
    }
    const path: MoveNode[] = [];
    for (let each: MoveNode | null = node; each; each = each.parent) path.unshift(each);
    const own = path.filter((each) => each.turn === repertoire.color && each !== node);
    const states = own.map((each) => memories[keyOf(repertoire.id, each.fen)]);
    lines.push({
      key: node.key,
      name: path.slice(1).map((each) => (each.ply % 2 ? `${(each.ply + 1) / 2}. ` : '') + each.san).join(' '),
      positions: own.length,
      known: states.filter((state) => isKnown(state)).length,
      due: states.some((state) => state && isDue(state)),
    });
  }
  return lines;
}

/** How much an answer leads to what should be asked: the share of what follows that is due or new. */
export function need(node: MoveNode, repertoire: Repertoire, memories: Memories): number {
  const all = asked(node, repertoire.color);
  if (!all.length) return 0;
  return all.filter((each) => isDue(memories[keyOf(repertoire.id, each.fen)])).length / all.length;
}

export interface Reply {
  uci: string;
  chance: number;
}

/** One of several, as often as its weight says. */
export function drawn<T>(all: T[], weight: (each: T) => number, random = Math.random()): T | undefined {
  const sum = all.reduce((total, each) => total + weight(each), 0);
  let left = random * sum;
  return all.find((each) => (left -= weight(each)) < 0) ?? all.at(-1);
}
