// A review as it grows.

import { api, type ReviewGame, type ReviewLine, type ReviewMove, type ReviewPosition } from './api';

export class Review {
  game = $state<ReviewGame | null>(null);
  positions = $state<(ReviewPosition | undefined)[]>([]);
  moves = $state<(ReviewMove | undefined)[]>([]);
  done = $state(false);
  problem = $state('');
  private abort?: AbortController;

  readonly progress = $derived(this.game ? this.moves.length / Math.max(1, this.game.moves.length) : 0);

  start(request: { pgn?: string; game?: string; rating?: number }): void {
    this.stop();
    this.abort = new AbortController();
    [this.game, this.positions, this.moves, this.done, this.problem] = [null, [], [], false, ''];
    api.review(request, (line) => this.hear(line), this.abort.signal).catch((error: Error) => {
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
