// Help during practice, for those who want it: the engine's evaluation, and a hint on asking.

import type { DrawShape } from '@lichess-org/chessground/draw';

import { api, type AnalysisWord, type Score, type Start } from './api';
import { squaresOf } from './line';
import { t } from './messages.svelte';

const ENGINE = 'heuristic:alpha-beta';

export class Assistant {
  score = $state<Score | null>(null);
  shapes = $state<DrawShape[]>([]);
  word = $state('');
  thinking = $state(false);
  private abort?: AbortController;
  private asked = '';

  evaluate(start: Start): void {
    const key = JSON.stringify(start);
    if (key === this.asked) return;
    this.asked = key;
    void this.think(start, 2, (word) => (this.score = word.lines[0]?.score ?? this.score));
  }

  async hint(start: Start): Promise<void> {
    let best: { uci: string; san: string } | undefined;
    this.thinking = true;
    await this.think(start, 1, ({ lines: [line] }) => {
      if (line?.uci[0]) best = { uci: line.uci[0], san: line.san[0] ?? '' };
    });
    this.thinking = false;
    if (!best) return;
    const [orig, dest] = squaresOf(best.uci);
    this.shapes = [{ orig, dest, brush: 'green' } as DrawShape];
    this.word = t('Try {move}.', { move: best.san });
  }

  /** The move is made: what was told belongs to the position before it. */
  rest(): void {
    if (!this.asked && !this.word && !this.shapes.length) return;
    this.abort?.abort();
    [this.asked, this.word, this.shapes, this.thinking] = ['', '', [], false];
  }

  private async think(start: Start, seconds: number, heard: (word: AnalysisWord) => void): Promise<void> {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    await api
      .analyse({ ...start, mind: ENGINE, seconds }, (line) => { if (line.type === 'lines' && !abort.signal.aborted) heard(line); }, abort.signal)
      .catch((error: Error) => { if (error.name !== 'AbortError') this.word = error.message; });
  }
}

export function assistant(): Assistant {
  return new Assistant();
}
