import { expect, test } from '@playwright/test';

import { drag, moves } from './board';

const GAME = (number: number, line: string, result: string) =>
  `[White "Ann"]\n[Black "Bob ${number}"]\n[Date "2024.01.0${number}"]\n[WhiteElo "1750"]\n[Result "${result}"]\n\n${line} ${result}\n\n`;
const SPANISH = '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5';
const SICILIAN = '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be2 e5';
const GAMES = GAME(1, SPANISH, '1-0') + GAME(2, SPANISH, '1/2-1/2') + GAME(3, SICILIAN, '0-1');

test('one prepares against somebody: openings, moves, where the repertoire meets them, a game', async ({ page }) => {
  await page.goto('/');
  const { id: repertoire } = await (await page.request.post('/api/repertoires', {
    data: { title: 'Open games', color: 'black', pgn: '1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 *' },
  })).json();
  await page.goto('/#/train/people');
  await page.locator('input[type=file]').setInputFiles({ name: 'ann.pgn', mimeType: 'text/plain', buffer: Buffer.from(GAMES) });
  await page.getByLabel('Whose games in ann.pgn?').selectOption('Ann');
  await page.getByRole('button', { name: 'Prepare' }).click();
  await expect(page.getByText('about 1750, 3 games')).toBeVisible();
  await expect(page.getByText('3 games are too few to learn more')).toBeVisible();
  await expect(page.getByRole('row', { name: 'Ruy Lopez 2 75%' })).toBeVisible();
  await expect(page.getByRole('row', { name: /e4.*3.*50%/ })).toBeVisible();
  // The repertoire answers 3. Bc4 and not 3. Bb5, which she plays.
  await page.getByRole('button', { name: /no answer to Bb5/ }).click();
  await expect(moves(page)).toHaveText(['e4', 'e5', 'Nf3', 'Nc6', 'Bb5']);
  const against = page.getByRole('table', { name: 'Moves against Ann' });
  await expect(against.getByRole('row', { name: /a6.*2.*75%/ })).toBeVisible();
  await page.getByRole('button', { name: 'First position' }).click();
  await page.getByLabel('You play').selectOption('black');
  await page.getByRole('button', { name: 'Play Ann' }).click();
  await expect(page).toHaveURL(/#\/game\//);
  await expect(page.getByRole('heading', { name: 'Game against Ann' })).toBeAttached();
  // She has never played anything else.
  await expect(moves(page).first()).toHaveText('e4', { timeout: 30_000 });
  await drag(page, 'e7', 'e5', 'black');
  await expect(moves(page).nth(2)).toHaveText('Nf3', { timeout: 30_000 });
  await page.goto('/#/train/people');
  await page.getByRole('button', { name: 'Remove Ann' }).click();
  await expect(page.getByText('about 1750, 3 games')).toHaveCount(0);
  await page.request.delete(`/api/repertoires/${repertoire}`);
});

test('what is no collection of games is told in plain words', async ({ page }) => {
  await page.goto('/#/train/people');
  await page.locator('input[type=file]').setInputFiles({ name: 'x.pgn', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await expect(page.getByRole('alert')).toContainText('no names of players');
});
