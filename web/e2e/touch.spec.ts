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
  for (const name of ['Take back', 'Offer draw', 'Resign']) await expect(page.getByRole('button', { name })).toBeInViewport();
});

test('a review on a phone shows one part at a time', async ({ page }) => {
  const id = await newGame(page);
  await page.goto(`/#/review/${id}`);
  await expect(page.getByRole('tab', { name: 'Moves' })).toHaveAttribute('aria-selected', 'true');
  const high = await page.evaluate(() => document.documentElement.scrollHeight);
  expect(high).toBeLessThan(1400);
  await page.getByRole('tab', { name: 'Explorer' }).click();
  await expect(page.getByRole('region', { name: 'Opening explorer' })).toBeVisible();
});

test('no page is wider than the phone', async ({ page }) => {
  for (const name of ['play', 'practise', 'train/mistakes', 'train/repertoire', 'train/people', 'train/games', 'profile', 'analysis', 'review', 'minds']) {
    await page.goto(`/#/${name}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wider, name).toBeLessThanOrEqual(0);
  }
});
