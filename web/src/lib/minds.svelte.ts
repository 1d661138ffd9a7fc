// The minds by name, asked for once.

import { api, type Mind } from './api';
import { capital } from './words';

const known = $state<{ minds: Mind[] }>({ minds: [] });
let asked = false;

function card(name: string): Mind | undefined {
  if (!asked) {
    asked = true;
    api.minds().then((all) => (known.minds = all), () => (asked = false));
  }
  return known.minds.find((mind) => mind.name === name);
}

export function titleOf(name: string): string {
  return card(name)?.title ?? capital(name.split(':')[0] ?? name);
}

/** The rating that an opponent plays at, where it plays at any. */
export function ratingOf(name: string, rating: number): string {
  return card(name)?.rated ? `${rating}` : '';
}
