import { expect, test } from '@playwright/test';

import { at, drag, moves, newGame, writeNumber } from './board';

test('any clock can be set, or none', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('radio', { name: 'White' }).check();
  await page.getByRole('radio', { name: 'Custom' }).check();
  await writeNumber(page.getByLabel('Minutes'), 7);
  await writeNumber(page.getByLabel('Seconds a move'), 2);
  await page.getByRole('button', { name: 'Start the game' }).click();
  await expect(page.getByRole('timer').first()).toHaveText('07:00');
  await expect(page.getByText('7+2 · Rapid · Casual')).toBeVisible();
  await page.goto('/');
  await page.getByRole('radio', { name: 'Unlimited' }).check();
  await page.getByRole('button', { name: 'Start the game' }).click();
  await expect(page.getByText('No clock · Casual')).toBeVisible();
  await expect(page.getByRole('timer')).toHaveCount(0);
});

test('the rating goes from 600 to 2600, and what was chosen is kept', async ({ page }) => {
  await page.goto('/');
  const slider = page.getByRole('slider', { name: "Opponent's rating" });
  await slider.press('Home');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Play someone rated 600');
  await slider.press('End');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Play someone rated 2600');
  await page.getByRole('button', { name: 'Mute sounds' }).click();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Play someone rated 2600');
  await expect(page.getByRole('button', { name: 'Play sounds' })).toHaveAttribute('aria-pressed', 'true');
});

test('keys are explained, and turn the board', async ({ page }) => {
  await newGame(page);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys and mouse' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('f');
  await expect(page.locator('main .cg-wrap.orientation-black').first()).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Type a move')).toBeFocused();
});

test('arrows are drawn with the right button, and the position is copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await newGame(page);
  const [from, to] = [await at(page, 'g1'), await at(page, 'f3')];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up({ button: 'right' });
  await expect(page.locator('.cg-shapes line')).toHaveCount(1);
  await page.getByRole('button', { name: 'Copy FEN' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('RNBQKBNR w KQkq');
});

test('any position of a past game is practised', async ({ page }) => {
  const id = await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Really resign?' }).click();
  await page.goto('/#/practise');
  await page.getByRole('tab', { name: 'My games' }).click();
  await page.locator(`a[href="#/practise?game=${id}"]`).click();
  await expect(moves(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'One move back' }).click();
  await page.getByRole('radio', { name: 'Black' }).check();
  await page.getByRole('button', { name: 'Play from here' }).click();
  await expect(page).toHaveURL(/#\/game\//);
  await expect(moves(page)).toHaveCount(1);
  await expect(moves(page).first()).toHaveText('e4');
});

test('a known opening is one click away from the start', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Ruy Lopez' }).click();
  await expect(moves(page)).toHaveCount(5);
  await expect(page.getByLabel('Name of this tabiya')).toHaveValue('Ruy Lopez');
});

test('a click on the graph goes to the move, and a game is downloaded', async ({ page }) => {
  const id = await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'PGN' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.pgn$/);
  await page.goto(`/#/review/${id}`);
  await expect(page.getByLabel('Progress of the review')).toHaveCount(0);
  const graph = page.getByRole('img', { name: "White's winning chances" }).locator('.u-over');
  const box = (await graph.boundingBox())!;
  await graph.click({ position: { x: box.width - 2, y: box.height / 2 } });
  await expect(moves(page).nth(1)).toHaveAttribute('aria-current', 'true');
  await graph.click({ position: { x: box.width / 2, y: box.height / 2 } });
  await expect(moves(page).nth(0)).toHaveAttribute('aria-current', 'true');
});
