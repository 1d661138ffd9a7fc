// How things are said to people.

import { language, ltr, msg, t } from './messages.svelte';
import type { Game, Judgement, Score, Side, Summary, TimeControl, Verdict } from './api';

export function timeName(time: TimeControl | null): string {
  if (!time) return t('Unlimited');
  const minutes = time.base_s / 60;
  const shown = Number.isInteger(minutes) ? `${minutes}` : time.base_s === 30 ? '½' : minutes.toFixed(1);
  return ltr(`${shown}+${time.increment_s}`);
}

/** What players call a time control, by how long a game of forty moves takes. */
export function speedName(time: TimeControl | null): string {
  if (!time) return t('No clock');
  const seconds = time.base_s + 40 * time.increment_s;
  return t(seconds < 180 ? msg('Bullet') : seconds < 480 ? msg('Blitz') : seconds < 1500 ? msg('Rapid') : msg('Classical'));
}

export function resultText(score: string): string {
  return ltr(score.replace('1/2-1/2', '½-½').replace('-', '–'));
}

export function other(side: Side): Side {
  return side === 'white' ? 'black' : 'white';
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A side by its name. */
export function sideName(side: Side): string {
  return side === 'white' ? t('White') : t('Black');
}

export function toMove(side: Side): string {
  return side === 'white' ? t('White to move') : t('Black to move');
}

const REASONS: Record<Verdict['reason'], string> = {
  checkmate: msg('by checkmate'),
  stalemate: msg('by stalemate'),
  material: msg('by insufficient material'),
  repetition: msg('by repetition'),
  fifty_moves: msg('by the fifty-move rule'),
  agreement: msg('by agreement'),
  resignation: msg('by resignation'),
  time: msg('on time'),
  aborted: msg('Called off'),
};

export function verdictLine(verdict: Verdict): string {
  if (verdict.reason === 'aborted') return t('Called off');
  const who = t(!verdict.winner ? msg('Draw') : verdict.winner === 'white' ? msg('White wins') : msg('Black wins'));
  return `${who} ${t(REASONS[verdict.reason])}`;
}

export function verdictFor(verdict: Verdict, own: Side): 'won' | 'lost' | 'drawn' | 'off' {
  if (verdict.reason === 'aborted') return 'off';
  if (!verdict.winner) return 'drawn';
  return verdict.winner === own ? 'won' : 'lost';
}

export function clockText(ms: number): string {
  const left = Math.max(0, ms);
  const seconds = Math.floor(left / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (h > 0) return `${h}:${two(m)}:${two(s)}`;
  const tenths = left < 10_000 ? `.${Math.floor(left / 100) % 10}` : '';
  return `${two(m)}:${two(s)}${tenths}`;
}

export function scoreText(score: Score | null | undefined): string {
  if (!score) return '';
  if ('mated' in score) return '#';
  if ('mate' in score) return ltr(`#${score.mate}`);
  const pawns = score.cp / 100;
  return ltr(`${pawns > 0 ? '+' : ''}${pawns.toFixed(1)}`);
}

export const GLYPHS: Record<Judgement, string> = {
  best: '',
  good: '',
  inaccuracy: '?!',
  mistake: '?',
  blunder: '??',
};

export const JUDGEMENTS: Record<Judgement, string> = {
  best: msg('Best'),
  good: msg('Good'),
  inaccuracy: msg('Inaccuracy'),
  mistake: msg('Mistake'),
  blunder: msg('Blunder'),
};

/** Numeric annotation glyphs of PGN that one gives by hand. */
export const NAGS: Record<number, string> = { 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!' };

export function percent(chance: number): string {
  const value = 100 * chance;
  return ltr(value > 0 && value < 1 ? '<1%' : `${Math.round(value)}%`);
}

/** A share of a point, as score tables have it: .54 */
export function pointsText(points: number): string {
  return ltr(points >= 0.995 ? '1.00' : points.toFixed(2).replace(/^0/, ''));
}

export function secondsText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}

export function dayText(seconds: number): string {
  return new Date(1000 * seconds).toLocaleDateString(language(), { day: 'numeric', month: 'short', year: 'numeric' });
}

export function openingOf(game: Game | Summary): string {
  return game.opening?.name ?? '';
}
