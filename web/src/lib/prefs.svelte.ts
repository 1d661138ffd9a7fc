// What the player chose last, kept by the browser.

import type { Pace, Side } from './api';

export interface Prefs {
  theme: 'auto' | 'dark' | 'light';
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
}

const KEY = 'tabiya';
const DEFAULTS: Prefs = {
  theme: 'auto',
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
    document.documentElement.dataset.theme = prefs.theme;
  });
}
