// What the page says, in the language that one chose. English stands in the page itself; a file of messages holds the other words, and
// what is not in it is said in English.

import { prefs } from './prefs.svelte';

type Messages = Record<string, string>;

export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  hi: 'हिन्दी',
  ar: 'العربية',
} as const;
export type Language = keyof typeof LANGUAGES;

const RIGHT_TO_LEFT: Language[] = ['ar'];
const FILES: Record<Exclude<Language, 'en'>, () => Promise<{ default: Messages }>> = {
  de: () => import('../messages/de'),
  fr: () => import('../messages/fr'),
  es: () => import('../messages/es'),
  hi: () => import('../messages/hi'),
  ar: () => import('../messages/ar'),
};

const spoken: { messages: Messages } = $state({ messages: {} });

/** The language that was chosen, or else the browser's. */
export function language(): Language {
  const wanted = prefs.language || navigator.language.slice(0, 2);
  return wanted in LANGUAGES ? (wanted as Language) : 'en';
}

const rightToLeft = () => RIGHT_TO_LEFT.includes(language());

/** Numbers and moves, which are written from left to right in every language. */
export function ltr(text: string): string {
  return rightToLeft() && text ? `\u2066${text}\u2069` : text;
}

/** Must be called once, where effects may live. */
export function keepLanguage(): void {
  $effect(() => {
    const chosen = language();
    document.documentElement.lang = chosen;
    document.documentElement.dir = rightToLeft() ? 'rtl' : 'ltr';
    if (chosen === 'en') spoken.messages = {};
    else void FILES[chosen]().then((file) => { if (language() === chosen) spoken.messages = file.default; });
  });
}

/** Marks a text that is kept in a list and said through `t` later, so that the check of messages knows it. */
export const msg = <Text extends string>(english: Text): Text => english;

/** `{name}` in a message is replaced by the value of that name. */
export function t(english: string, values: Record<string, string | number> = {}): string {
  // In a line from right to left, names and moves keep their own direction.
  const own = (value: string) => (rightToLeft() ? `\u2068${value}\u2069` : value);
  return (spoken.messages[english] ?? english).replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? own(String(values[name])) : whole));
}
