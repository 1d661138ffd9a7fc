import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from '@playwright/test';

import { drag, moves, newGame } from './board';

const PORT = 17880;
const data = mkdtempSync(join(tmpdir(), 'tabiya-restart-'));
let server: ChildProcess;

async function start(): Promise<void> {
  server = spawn(process.env.TABIYA ?? '../target/debug/tabiya', ['play', '--port', `${PORT}`, '--data', data]);
  await expect(async () => {
    expect((await fetch(`http://127.0.0.1:${PORT}/api/minds`)).ok).toBe(true);
  }).toPass();
}

test.use({ baseURL: `http://127.0.0.1:${PORT}` });
test.beforeAll(start);
test.afterAll(() => server.kill());

test('a server that is killed and started again finds the page waiting', async ({ page }) => {
  await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
  const before = await moves(page).allTextContents();
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await ended;
  await expect(page.getByRole('alert')).toContainText('The line to the server is cut');
  // A move that is made meanwhile says that it waits, and is played when the server is back.
  await drag(page, 'h2', 'h3');
  await expect(page.getByRole('alert')).toContainText('Your move is not played yet');
  await start();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(moves(page)).toHaveCount(4);
  expect((await moves(page).allTextContents()).slice(0, 3)).toEqual([...before, 'h3']);
});
