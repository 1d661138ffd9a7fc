// A game with variations, comments and arrows: what the analysis board holds, read from PGN and written as such.

import { makeFen } from 'chessops/fen';
import {
  ChildNode, Node, defaultGame, makeComment, makePgn, parseComment, parsePgn, setStartingPosition, startingPosition,
  type Comment, type CommentShape, type Game, type PgnNodeData,
} from 'chessops/pgn';
import { makeSanAndPlay, parseSan } from 'chessops/san';
import { makeUci } from 'chessops/util';

import type { Side, Start } from './api';
import { START_FEN, after, positionOf } from './line';
import { t } from './messages.svelte';

export interface MoveNode {
  /** Of all nodes of a tree, for lists. */
  key: number;
  parent: MoveNode | null;
  san: string;
  uci: string;
  fen: string;
  turn: Side;
  check: boolean;
  ply: number;
  comment: string;
  shapes: CommentShape[];
  /** Numeric annotation glyphs, as PGN has them: 1 is a good move, 2 a mistake. */
  nags: number[];
  children: MoveNode[];
}

/** What a comment holds besides words and arrows, clocks above all, is read and not kept. */
const commentOf = (texts: string[] | undefined): Comment => {
  const all = (texts ?? []).map(parseComment);
  return { text: all.map((each) => each.text).filter(Boolean).join(' '), shapes: all.flatMap((each) => each.shapes) };
};

export class Tree {
  root: MoveNode;
  headers: Map<string, string>;
  private keys = 0;
  /** Counts changes: what a page shows of the tree depends on it. */
  version = $state(0);
  private at: MoveNode;

  constructor(fen: string = START_FEN) {
    this.headers = new Map();
    this.root = this.make(null, { fen, san: '', uci: '' }, positionOf(fen)?.turn ?? 'white', false);
    this.at = this.root;
  }

  /** The tree of the first game of a text, or why there is none. */
  static read(pgn: string): Tree | string {
    const game = parsePgn(pgn).find((each) => each.moves.children.length || each.headers.has('FEN'));
    if (!game) return t('There is no game in this text.');
    const start = startingPosition(game.headers);
    if (start.isErr) return t('The game starts from a position that cannot be played.');
    const tree = new Tree(makeFen(start.value.toSetup()));
    tree.headers = game.headers;
    const head = commentOf(game.comments);
    [tree.root.comment, tree.root.shapes] = [head.text, head.shapes];
    tree.graft(tree.root, game.moves);
    tree.at = tree.root;
    return tree;
  }

  /** One tree of all games of a text, as the chapters of a study, and how many begin in another position than the first. */
  static readAll(pgn: string): { tree: Tree; elsewhere: number } | string {
    const tree = Tree.read(pgn);
    if (typeof tree === 'string') return tree;
    let elsewhere = 0;
    for (const game of parsePgn(pgn).filter((each) => each.moves.children.length)) {
      const start = startingPosition(game.headers);
      if (start.isOk && makeFen(start.value.toSetup()) === tree.root.fen) tree.graft(tree.root, game.moves);
      else elsewhere++;
    }
    return { tree, elsewhere };
  }

  get current(): MoveNode {
    void this.version;
    return this.at;
  }

  /** From the start through the current position to the end of its line. */
  get line(): MoveNode[] {
    void this.version;
    const past: MoveNode[] = [];
    for (let node: MoveNode | null = this.at; node; node = node.parent) past.unshift(node);
    for (let node = this.at.children[0]; node; node = node.children[0]) past.push(node);
    return past;
  }

  get start(): Start {
    const moves = this.line.slice(1, this.current.ply + 1).map((node) => node.uci);
    return { moves, ...(this.root.fen !== START_FEN && { fen: this.root.fen }) };
  }

  go(node: MoveNode): void {
    this.at = node;
    this.version++;
  }

  /** Walks on with a move, in a new variation if it is a new move. */
  play(uci: string): boolean {
    const known = this.at.children.find((node) => node.uci === uci);
    const next = known ?? this.grow(this.at, uci);
    if (next) this.go(next);
    return !!next;
  }

  /** Follows moves from the start as far as they are legal. */
  follow(moves: string[]): void {
    this.at = this.root;
    for (const uci of moves) if (!this.play(uci)) break;
    this.version++;
  }

  /** Makes the variation of a move the main line where it branches off. */
  promote(node: MoveNode): void {
    for (let each: MoveNode | null = node; each?.parent; each = each.parent) {
      const siblings: MoveNode[] = each.parent.children;
      if (siblings[0] === each) continue;
      siblings.unshift(...siblings.splice(siblings.indexOf(each), 1));
      break;
    }
    this.version++;
  }

  /** Takes a move away with all that follows it. */
  remove(node: MoveNode): void {
    if (!node.parent) return;
    node.parent.children = node.parent.children.filter((each) => each !== node);
    this.go(node.parent);
  }

  note(change: Partial<Pick<MoveNode, 'comment' | 'shapes' | 'nags'>>): void {
    Object.assign(this.at, change);
    this.version++;
  }

  toPgn(): string {
    void this.version;
    const game: Game<PgnNodeData> = defaultGame(() => new Map(this.headers));
    const start = positionOf(this.root.fen);
    if (start && this.root.fen !== START_FEN) setStartingPosition(game.headers, start);
    const head = makeComment({ text: this.root.comment, shapes: this.root.shapes });
    if (head) game.comments = [head];
    write(this.root, game.moves);
    return makePgn(game);
  }

  private make(parent: MoveNode | null, made: { fen: string; san: string; uci: string }, turn: Side, check: boolean): MoveNode {
    const ply = parent ? parent.ply + 1 : 0;
    return { key: this.keys++, parent, ...made, turn, check, ply, comment: '', shapes: [], nags: [], children: [] };
  }

  private grow(parent: MoveNode, uci: string): MoveNode | undefined {
    const next = after(parent.fen, uci);
    if (!next) return undefined;
    const node = this.make(parent, next, next.turn, next.check);
    parent.children.push(node);
    return node;
  }

  /** Adds what is not there yet. */
  private graft(parent: MoveNode, nodes: Node<PgnNodeData>): void {
    // An explicit stack: a long game would be too deep for calls.
    const waiting: [MoveNode, Node<PgnNodeData>][] = [[parent, nodes]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [node, source] = next;
      for (const child of source.children) {
        const position = positionOf(node.fen);
        const move = position && parseSan(position, child.data.san);
        if (!position || !move) continue;
        const uci = makeUci(move);
        const san = makeSanAndPlay(position, move);
        const known = node.children.find((each) => each.uci === uci);
        const made = known ?? this.make(node, { fen: makeFen(position.toSetup()), san, uci }, position.turn, position.isCheck());
        const said = commentOf([...(child.data.startingComments ?? []), ...(child.data.comments ?? [])]);
        if (!known) node.children.push(made);
        if (!made.comment) made.comment = said.text;
        if (!made.shapes.length) made.shapes = said.shapes;
        if (!made.nags.length) made.nags = child.data.nags ?? [];
        waiting.push([made, child]);
      }
    }
  }
}

function write(root: MoveNode, top: Node<PgnNodeData>): void {
  const waiting: [MoveNode, Node<PgnNodeData>][] = [[root, top]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, target] = next;
    for (const child of node.children) {
      const comment = makeComment({ text: child.comment, shapes: child.shapes });
      const made = new ChildNode<PgnNodeData>({
        san: child.san,
        ...(child.nags.length && { nags: child.nags }),
        ...(comment && { comments: [comment] }),
      });
      target.children.push(made);
      waiting.push([child, made]);
    }
  }
}

/** A move and the others that could have been played in its place. */
export interface Stretch {
  main: MoveNode;
  others: MoveNode[];
}

/** The line that follows a move, with what branches off. */
export function stretchesOf(from: MoveNode): Stretch[] {
  const all: Stretch[] = [];
  for (let node = from; node.children[0]; node = node.children[0]) {
    all.push({ main: node.children[0], others: node.children.slice(1) });
  }
  return all;
}

/** The number of a move as scores have it: `3.` or `3…`. */
export function numberOf(node: MoveNode): string {
  const [, turn, , , , number] = (node.parent?.fen ?? START_FEN).split(' ');
  return `${number ?? 1}${turn === 'b' ? '…' : '.'}`;
}
