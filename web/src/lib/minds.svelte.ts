// The minds by name, asked for when one is met that is not known yet.

import { api, type Mind } from './api';
import { t } from './messages.svelte';
import { capital } from './words';

const known = $state<{ minds: Mind[] }>({ minds: [] });
const asked = new Set<string>();

function card(name: string): Mind | undefined {
  const found = known.minds.find((mind) => mind.name === name);
  if (!found && !asked.has(name)) {
    asked.add(name);
    api.minds().then((all) => (known.minds = all), () => asked.delete(name));
  }
  return found;
}

export function titleOf(name: string): string {
  if (name.startsWith('person-')) return card(name)?.title ?? t('A person');
  return card(name)?.title ?? capital(name.split(':')[0] ?? name);
}

/** The rating that an opponent plays at, where it plays at any. */
export function ratingOf(name: string, rating: number): string {
  const found = card(name);
  return found?.rated ? `${rating}` : `${found?.rating ?? ''}`;
}
