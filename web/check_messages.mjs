// Every text of the page has a message in every language, and every message a text: part of `npm run check`.
// Texts are what stands as a plain string in `t(…)`, or in `msg(…)` where it is kept in a list first.

import { readFileSync, readdirSync } from 'node:fs';

const CALL = /\b(?:t|msg)\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\$])*)`)/g;
const MESSAGE = /^ {2}(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|([A-Za-z]\w*)):\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"),$/gm;
const plain = (text) => text.replace(/\\(.)/g, '$1');
const values = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort().join();

const texts = new Set();
for (const file of readdirSync('src', { recursive: true })) {
  if (!/\.(svelte|ts)$/.test(file) || file.startsWith('messages')) continue;
  for (const [, one, two, three] of readFileSync(`src/${file}`, 'utf8').matchAll(CALL)) texts.add(plain(one ?? two ?? three));
}

let faults = 0;
const fault = (sentence) => { faults++; console.error(sentence); };
for (const file of readdirSync('src/messages')) {
  const source = readFileSync(`src/messages/${file}`, 'utf8');
  const messages = new Map();
  for (const [, one, two, three, a, b] of source.matchAll(MESSAGE)) {
    const text = plain(one ?? two ?? three);
    if (messages.has(text)) fault(`${file}: twice: ${text}`);
    messages.set(text, plain(a ?? b));
  }
  const lines = source.split('\n').filter((line) => line.startsWith('  ')).length;
  if (lines !== messages.size) fault(`${file}: ${lines} lines, but ${messages.size} messages`);
  for (const text of texts) {
    const message = messages.get(text);
    if (message === undefined) fault(`${file}: missing: ${text}`);
    else if (values(message) !== values(text)) fault(`${file}: other values than the text: ${text}`);
  }
  for (const text of messages.keys()) if (!texts.has(text)) fault(`${file}: of no text: ${text}`);
}
console.log(`${texts.size} texts, ${faults} faults in their messages`);
process.exitCode = faults ? 1 : 0;
