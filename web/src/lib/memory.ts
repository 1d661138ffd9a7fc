// Spaced repetition: what comes again when. The scheduler is FSRS; the server keeps what it says.

import { Rating, createEmptyCard, fsrs, type Card, type Grade } from 'ts-fsrs';

import { api, type MemoryState } from './api';
import { t } from './messages.svelte';

const scheduler = fsrs({ enable_fuzz: true });

/** How an answer came. */
export const ANSWERS = { wrong: Rating.Again, hard: Rating.Hard, right: Rating.Good, quick: Rating.Easy } as const;
export type Answer = keyof typeof ANSWERS;

/** Schedules what was answered, and has it kept. */
export async function answered(key: string, before: MemoryState | null | undefined, answer: Answer, now = new Date()): Promise<MemoryState> {
  const card = before ? (before as never as Card) : createEmptyCard(now);
  const { card: next } = scheduler.next(card, now, ANSWERS[answer] as Grade);
  const state = JSON.parse(JSON.stringify(next)) as MemoryState;
  await api.remember(key, state);
  return state;
}

export function isDue(state: MemoryState | null | undefined, now = Date.now()): boolean {
  return !state || new Date(state.due).getTime() <= now;
}

/** Whether it was known the last time and need not come again yet. */
export function isKnown(state: MemoryState | null | undefined, now = Date.now()): boolean {
  return !!state && !isDue(state, now);
}

export function dueText(state: MemoryState): string {
  const days = Math.round((new Date(state.due).getTime() - Date.now()) / 86_400_000);
  if (days <= 0) return t('It comes again today.');
  return days === 1 ? t('It comes again tomorrow.') : t('It comes again in {count} days.', { count: days });
}
