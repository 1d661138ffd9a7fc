import { expect, test } from '@playwright/test';

import { at, click, drag, holdAnswers, moves, newGame } from './board';

test('a game is set up, played with the mouse and answered', async ({ page }) => {
  await page.goto('/');
  await page.getByText('Advanced').click();
  await page.getByLabel('Opponent', { exact: true }).selectOption('heuristic:alpha-beta');
  await page.getByLabel('It answers').selectOption('at_once');
  await page.getByRole('radio', { name: 'White' }).check();
  await page.getByRole('radio', { name: '10+5' }).check();
  await page.getByRole('button', { name: 'Start the game' }).click();
  await expect(page.getByRole('timer')).toHaveCount(2);
  await expect(page.getByRole('timer').first()).toHaveText('10:00');
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
  await expect(moves(page).first()).toHaveText('e4');
  await click(page, 'd2', 'd3');
  await expect(moves(page)).toHaveCount(4);
  await expect(moves(page).nth(2)).toHaveText('d3');
});

test('Black sees the board from his side and is asked after White moved', async ({ page }) => {
  await newGame(page, { color: 'black' });
  await expect(moves(page)).toHaveCount(1);
  await drag(page, 'a7', 'a6', 'black');
  await expect(moves(page)).toHaveCount(3);
  await expect(moves(page).nth(1)).toHaveText('a6');
});

test('legal moves are shown as dots, and an illegal one is not made', async ({ page }) => {
  await newGame(page);
  const { x, y } = await at(page, 'b1');
  await page.mouse.click(x, y);
  await expect(page.locator('square.move-dest')).toHaveCount(2);
  await drag(page, 'e2', 'e5');
  await expect(moves(page)).toHaveCount(0);
});

test('a pawn becomes what is chosen', async ({ page }) => {
  for (const [name, san] of [['queen', 'a8=Q'], ['knight', 'a8=N']] as const) {
    await newGame(page, { start: { fen: '8/P5pk/7p/8/8/8/8/K7 w - - 0 1' } });
    await drag(page, 'a7', 'a8');
    await page.getByRole('dialog', { name: 'Promote to' }).getByRole('button', { name }).click();
    await expect(moves(page).first()).toHaveText(san);
  }
  await newGame(page, { start: { fen: '8/P5pk/7p/8/8/8/8/K7 w - - 0 1' } });
  await drag(page, 'a7', 'a8');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(moves(page)).toHaveCount(0);
});

test('a premove is played when its turn comes', async ({ page }) => {
  const answers = await holdAnswers(page);
  await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(1);
  await drag(page, 'a2', 'a3');
  await expect(page.locator('square.current-premove')).toHaveCount(2);
  answers.letGo();
  await expect(moves(page)).toHaveCount(4);
  await expect(moves(page).nth(2)).toHaveText('a3');
});

test('a flag falls', async ({ page }) => {
  await newGame(page, { time: { base_s: 2, increment_s: 0 } });
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('You lost');
  await expect(dialog).toContainText('Black wins on time');
  await expect(page.getByRole('timer', { name: "White's clock" })).toHaveText('00:00.0');
});

test('a reload in mid-game changes nothing', async ({ page }) => {
  await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
  const before = await moves(page).allTextContents();
  await page.reload();
  await expect(moves(page)).toHaveText(before);
  await drag(page, 'h2', 'h3');
  await expect(moves(page)).toHaveCount(4);
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Games in progress' })).toBeVisible();
});

test('resigning is asked twice, and a rematch changes colours', async ({ page }) => {
  const id = await newGame(page);
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Really resign?' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Black wins by resignation');
  const pgn = await page.request.get(`/api/games/${id}/pgn`);
  expect(await pgn.text()).toContain('1. e4');
  await dialog.getByRole('button', { name: 'Rematch' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(moves(page)).toHaveCount(1);
});

test('a move is taken back, and a draw is offered', async ({ page }) => {
  await newGame(page, { start: { fen: '7k/8/8/8/8/8/8/KQQ5 w - - 0 1' } });
  await drag(page, 'c1', 'c2');
  await expect(moves(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Take back' }).click();
  await expect(moves(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Offer draw' }).click();
  await expect(page.getByRole('dialog')).toContainText('Draw by agreement');
});

test('the keyboard is enough', async ({ page }) => {
  await newGame(page);
  const input = page.getByLabel('Type a move');
  await input.fill('Nf3');
  await input.press('Enter');
  await expect(moves(page)).toHaveCount(2);
  await input.fill('Qh5');
  await input.press('Enter');
  await expect(page.getByRole('alert')).toContainText('not a move');
  await input.blur();
  await page.keyboard.press('ArrowLeft');
  await expect(moves(page).first()).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('End');
  await expect(moves(page).nth(1)).toHaveAttribute('aria-current', 'true');
});
