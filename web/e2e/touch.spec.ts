import { expect, test } from '@playwright/test';

import { at, moves, newGame } from './board';

test('a game is played with the finger, and fits the screen', async ({ page }) => {
  await newGame(page);
  for (const square of ['e2', 'e4']) {
    const { x, y } = await at(page, square);
    await page.touchscreen.tap(x, y);
  }
  await expect(moves(page)).toHaveCount(2);
  await expect(moves(page).first()).toHaveText('e4');
  const wider = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  expect(wider).toBe(false);
});

test('no page is wider than the phone', async ({ page }) => {
  for (const name of ['play', 'practise', 'review', 'minds']) {
    await page.goto(`/#/${name}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wider, name).toBeLessThanOrEqual(0);
  }
});
