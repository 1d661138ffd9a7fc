import { expect, test } from '@playwright/test';

import { drag, moves, newGame } from './board';

test('the page speaks other languages, also from right to left', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Language').selectOption('de');
  await expect(page.getByRole('heading', { name: 'Einstellungen' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Partie beginnen' })).toBeVisible();
  await page.getByRole('button', { name: 'Einstellungen' }).click();
  await page.getByLabel('Sprache').selectOption('ar');
  await page.keyboard.press('Escape');
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wider).toBeLessThanOrEqual(0);
  }
  // Boards stay as they are.
  await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(page.getByRole('group', { name: 'النقلات' }).getByRole('button')).toHaveCount(2);
});

test('every page speaks the language that was chosen', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('tabiya', JSON.stringify({ language: 'de', ratingTold: true })));
  const headings = {
    practise: 'Von hier üben', 'train/mistakes': 'Training', 'train/repertoire': 'Neues Repertoire', 'train/people': 'Jemand, auf den man sich vorbereitet',
    'train/games': 'Partien zum Lernen', analysis: 'Was Menschen spielen', review: 'Auswertung', minds: 'Köpfe', profile: 'Dein Profil',
  };
  for (const [place, heading] of Object.entries(headings)) {
    await page.goto(`/#/${place}`);
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
  }
  await page.goto('/#/minds');
  await expect(page.getByText('Die Maschine: eine von Hand gemachte Bewertung')).toBeVisible();
  await expect(page.getByRole('group', { name: 'Stellung', exact: true })).toBeVisible();
  await newGame(page, { takebacks: true });
  await expect(page.getByRole('group', { name: 'Brett, Weiß am Zug' })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'weißer König' })).toHaveCount(1);
});

test('numbers and moves are read from left to right in a language that is not', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('tabiya', JSON.stringify({ language: 'ar', ratingTold: true })));
  await page.goto('/#/analysis');
  // A sign that stands alone would be put behind its number.
  const scores = page.locator('td.number', { hasText: /\d/ });
  await expect(scores.first()).toBeVisible();
  for (const score of (await scores.allTextContents()).map((text) => text.trim())) expect(score).toMatch(/^\u2066.*\u2069$/);
});

test('no page is wider than the screen from right to left', async ({ page }) => {
  // Twenty visits.
  test.slow();
  await page.addInitScript(() => localStorage.setItem('tabiya', JSON.stringify({ language: 'ar', ratingTold: true })));
  for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    for (const place of ['play', 'practise', 'train/mistakes', 'train/repertoire', 'train/people', 'train/games', 'analysis', 'review', 'minds', 'profile']) {
      await page.goto(`/#/${place}`);
      await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      // Time for what comes from the server.
      await page.waitForTimeout(500);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(wider, `${place} at ${size.width}`).toBeLessThanOrEqual(0);
    }
  }
});

test('boards, pieces and coordinates can be chosen, and stay', async ({ page }) => {
  await newGame(page);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('combobox', { name: 'Board', exact: true }).selectOption('blue');
  await page.getByRole('combobox', { name: 'Pieces', exact: true }).selectOption('letters');
  await page.getByRole('combobox', { name: 'Coordinates' }).selectOption('outside');
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-pieces', 'letters');
  const letter = await page.locator('main .board piece.white.knight').first().evaluate((piece) => getComputedStyle(piece, '::before').content);
  expect(letter).toBe('"N"');
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
});

test('a move is confirmed by those who want that, and zen leaves the game alone', async ({ page }) => {
  await newGame(page);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Moves are confirmed in games').check();
  await page.keyboard.press('Escape');
  await drag(page, 'e2', 'e4');
  await page.getByRole('button', { name: 'Take it back' }).click();
  await expect(moves(page)).toHaveCount(0);
  await drag(page, 'd2', 'd4');
  await page.getByRole('button', { name: 'Play d4' }).click();
  await expect(moves(page)).toHaveCount(2);
  await page.keyboard.press('z');
  await expect(page.getByRole('navigation')).toBeHidden();
  await page.keyboard.press('z');
  await expect(page.getByRole('navigation')).toBeVisible();
});

test('everything is saved as one file and taken over elsewhere', async ({ page, browser }) => {
  const id = await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
  const archive = await (await page.request.get('/api/archive')).body();
  const other = await browser.newPage();
  await other.goto('/');
  await other.getByRole('button', { name: 'Settings' }).click();
  await other.locator('dialog input[type=file]').setInputFiles({ name: 'tabiya-archive.json', mimeType: 'application/json', buffer: archive });
  await expect(other.getByText('1 came in.')).toBeVisible();
  // Here the game goes on under its first owner; on another machine it would be played on.
  const [game] = await (await other.request.get('/api/games')).json();
  expect(game).toMatchObject({ id, plies: 2 });
  await other.close();
});
