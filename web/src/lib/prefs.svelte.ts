// What the player chose last, kept by the browser.

import type { Pace, Side } from './api';

export interface Prefs {
  theme: 'auto' | 'dark' | 'light';
  /** Nothing is the browser's own. */
  language: string;
  sound: boolean;
  rating: number;
  ownRating: number;
  color: Side | 'random';
  /** `5+3` in minutes and seconds, `unlimited`, or `custom`. */
  time: string;
  customMinutes: number;
  customSeconds: number;
  mind: string;
  pace: Pace;
  name: string;
  /** Whether the player has said how strong she is. */
  /** Of the people in the explorer; 0 is one's own. */
  explorerRating: number;
  ratingTold: boolean;
  takebacks: boolean;
  hints: boolean;
  evaluation: boolean;
  /** The board as text for everybody to see; screen readers always have it. */
  textBoard: boolean;
  blindfold: boolean;
  board: 'brown' | 'blue' | 'green' | 'grey' | 'contrast';
  pieces: 'cburnett' | 'symbols' | 'letters';
  coordinates: 'inside' | 'outside' | 'none';
  /** Whether a move made on the board has to be confirmed. */
  confirm: boolean;
  /** By dragging, by clicking two squares, or both. */
  moving: 'both' | 'drag' | 'click';
  /** Nothing but the board while a game goes on. */
  zen: boolean;
  /** The mind and the number of lines of the analysis. */
  analyst: string;
  lines: number;
}

const KEY = 'tabiya';
const DEFAULTS: Prefs = {
  theme: 'auto',
  language: '',
  sound: true,
  rating: 1500,
  ownRating: 1500,
  color: 'random',
  time: '5+3',
  customMinutes: 15,
  customSeconds: 10,
  mind: '',
  pace: 'human',
  name: '',
  explorerRating: 0,
  ratingTold: false,
  takebacks: true,
  hints: false,
  evaluation: false,
  textBoard: false,
  blindfold: false,
  board: 'brown',
  pieces: 'cburnett',
  coordinates: 'inside',
  confirm: false,
  moving: 'both',
  zen: false,
  analyst: 'heuristic:alpha-beta',
  lines: 3,
};

function load(): Prefs {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return { ...DEFAULTS };
  }
}

export const prefs: Prefs = $state(load());

/** Must be called once, where effects may live. */
export function keepPrefs(): void {
  $effect(() => {
    localStorage.setItem(KEY, JSON.stringify(prefs));
    const { dataset } = document.documentElement;
    [dataset.theme, dataset.board, dataset.pieces, dataset.coordinates] = [prefs.theme, prefs.board, prefs.pieces, prefs.coordinates];
  });
}
