// Stepping through a game by keys, the same on every page.

export const KEYS: [string, string][] = [
  ['← →', 'one move back, one move on'],
  ['↑ ↓, Home End', 'first and last position'],
  ['f', 'turn the board'],
  ['z', 'zen: nothing but the game'],
  ['Enter, Esc', 'confirm a move, or take it back'],
  ['/', 'type a move'],
  ['right mouse button', 'draw arrows and circles'],
  ['?', 'this list'],
];

/** Whether a key is meant for the page, and not for a field or the browser. */
export function isForPage(event: KeyboardEvent): boolean {
  const field = (event.target as HTMLElement).matches?.('input:not([type="radio"]), textarea, select');
  return !field && !event.ctrlKey && !event.metaKey && !event.altKey;
}

export function step(event: KeyboardEvent, ply: number, last: number, show: (ply: number) => void, flip: () => void): void {
  // Arrows move among the choices of a group, too.
  if (!isForPage(event) || (event.target as HTMLElement).matches?.('input')) return;
  const steps: Record<string, number> = { ArrowLeft: ply - 1, ArrowRight: ply + 1, ArrowUp: 0, Home: 0, ArrowDown: last, End: last };
  if (event.key in steps) {
    event.preventDefault();
    show(Math.max(0, Math.min(last, steps[event.key]!)));
  } else if (event.key === 'f') flip();
}
