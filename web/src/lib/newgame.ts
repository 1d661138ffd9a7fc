// From what the player chose to a game.

import { api, type Mind, type Setup, type Side, type Start, type TimeControl } from './api';
import { prefs } from './prefs.svelte';
import { go } from './router.svelte';

export const TIMES = ['1+0', '2+1', '3+0', '3+2', '5+0', '5+3', '10+0', '10+5', '15+10', '30+0'];

export function timeOf(name: string): TimeControl | null {
  if (name === 'unlimited') return null;
  if (name === 'custom') {
    // An emptied field has no number.
    return { base_s: Math.round(60 * (prefs.customMinutes ?? 0)), increment_s: Math.round(prefs.customSeconds ?? 0) };
  }
  const [minutes = 5, seconds = 0] = name.split('+').map(Number);
  return { base_s: 60 * minutes, increment_s: seconds };
}

export function chosenMind(minds: Mind[]): Mind | undefined {
  return minds.find((mind) => mind.name === prefs.mind) ?? minds[0];
}

export function setup(minds: Mind[], color: Side | 'random', start?: Start, title?: string): Setup {
  return {
    mind: chosenMind(minds)?.name ?? '',
    rating: prefs.rating,
    own_rating: prefs.ownRating,
    color: color === 'random' ? (Math.random() < 0.5 ? 'white' : 'black') : color,
    time: timeOf(prefs.time),
    pace: prefs.pace,
    takebacks: prefs.takebacks,
    hints: prefs.hints,
    evaluation: prefs.evaluation,
    ...(start && { start }),
    ...(prefs.name.trim() && { name: prefs.name.trim() }),
    ...(title && { title }),
  };
}

export async function begin(chosen: Setup): Promise<void> {
  const game = await api.begin(chosen);
  go(`/game/${game.id}`);
}
