// Stepping through a game by keys, the same on every page.

import { msg } from './messages.svelte';

export const KEYS: [string, string][] = [
  ['← →', msg('one move back, one move on')],
  ['↑ ↓, Home End', msg('first and last position')],
  ['f', msg('turn the board')],
  ['z', msg('zen: nothing but the game')],
  ['Enter, Esc', msg('confirm a move, or take it back')],
  ['/', msg('type a move')],
  [msg('right mouse button'), msg('draw arrows and circles')],
  ['?', msg('this list')],
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
