import { expect, test } from '@playwright/test';

import { at, drag, holdAnswers, moves, newGame, writeNumber } from './board';

test('a right click takes a premove back, and its highlight', async ({ page }) => {
  const answers = await holdAnswers(page);
  await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(1);
  await drag(page, 'a2', 'a3');
  await expect(page.locator('square.current-premove')).toHaveCount(2);
  const { x, y } = await at(page, 'd5');
  await page.mouse.click(x, y, { button: 'right' });
  // Chessground keeps the squares for later and hides them.
  await expect(page.locator('square.current-premove:visible')).toHaveCount(0);
  answers.letGo();
  await expect(moves(page)).toHaveCount(2);
});

test('a game can be called off before both have moved, and takebacks can be left out', async ({ page }) => {
  await newGame(page, { takebacks: false });
  await expect(page.getByRole('button', { name: 'Take back' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Call off' }).click();
  await expect(page.getByRole('dialog')).toContainText('Called off');
  await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
  await expect(page.getByRole('button', { name: 'Call off' })).toHaveCount(0);
});

test('hints and the evaluation are there for those who want them', async ({ page }) => {
  await newGame(page, { hints: true, evaluation: true });
  await expect(page.getByText(/Evaluation [+-]?\d/)).toBeVisible();
  await page.getByRole('button', { name: 'Hint' }).click();
  await expect(page.getByText(/Try \S+\./)).toBeVisible();
  await expect(page.locator('.cg-shapes line')).toHaveCount(1);
  await newGame(page);
  await expect(page.getByRole('button', { name: 'Hint' })).toHaveCount(0);
});

test('the board is there in words, and both sides\' moves are said', async ({ page }) => {
  await newGame(page, { start: { fen: 'k7/8/8/8/8/8/4P3/4K2R w K - 0 1' } });
  const board = page.getByRole('table', { name: 'The position as text' });
  await expect(board.getByRole('row', { name: /^2 white pawn/ })).toBeAttached();
  await expect(page.getByRole('img', { name: 'White has more: rook, pawn; ahead by 6' })).toBeAttached();
  await expect(page.getByRole('img', { name: /^Black has more/ })).toHaveCount(0);
  await drag(page, 'e2', 'e4');
  await expect(page.getByText(/Ferrum plays|You play e4/)).toBeAttached();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Show the position as text').check();
  await page.getByLabel('Blindfold').check();
  await page.keyboard.press('Escape');
  await expect(board).toBeVisible();
  await expect(page.locator('main .board.blindfold')).toHaveCount(1);
});

test('a newcomer is asked for a rating once, and everything follows it', async ({ page }) => {
  await page.goto('/');
  await writeNumber(page.getByLabel('Your rating', { exact: true }), 1750);
  await page.getByRole('button', { name: 'That is my rating' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Play someone rated 1750');
  await expect(page.getByLabel('Your own rating')).toHaveValue('1750');
  await page.reload();
  await expect(page.getByRole('button', { name: 'That is my rating' })).toHaveCount(0);
});

test('the button that starts practice is on the first screen', async ({ page }) => {
  await page.goto('/#/practise');
  await expect(page.getByRole('button', { name: 'Play from here' })).toBeInViewport();
});
