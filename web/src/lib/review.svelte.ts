// A review as it grows.

import { api, type ReviewGame, type ReviewLine, type ReviewMove, type ReviewPosition } from './api';

/** Whether the engine knew something better, and not just another move as good. */
export function isWorse(move: ReviewMove): boolean {
  return move.judgement !== 'best' && move.judgement !== 'good';
}

export class Review {
  game = $state<ReviewGame | null>(null);
  positions = $state<(ReviewPosition | undefined)[]>([]);
  moves = $state<(ReviewMove | undefined)[]>([]);
  done = $state(false);
  problem = $state('');
  private abort?: AbortController;

  readonly progress = $derived(this.game ? this.moves.length / Math.max(1, this.game.moves.length) : 0);

  /** A review by its name, or that of a game of one's own. */
  start(id: string): void {
    this.stop();
    this.abort = new AbortController();
    [this.game, this.positions, this.moves, this.done, this.problem] = [null, [], [], false, ''];
    api.review(id, (line) => this.hear(line), this.abort.signal).catch((error: Error) => {
      if (error.name !== 'AbortError') this.problem = error.message;
    });
  }

  stop(): void {
    this.abort?.abort();
  }

  private hear(line: ReviewLine): void {
    if (line.type === 'game') this.game = line;
    else if (line.type === 'position') this.positions[line.ply] = line;
    else if (line.type === 'move') this.moves[line.ply] = line;
    else this.done = true;
  }
}
