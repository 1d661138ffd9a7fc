import { expect, test } from '@playwright/test';

import { drag, moves, newGame } from './board';

const SCHOLAR = `[White "<img src=x onerror=hacked()>"]
[Black "Bob & <script>hacked()</script>"]
[Result "1-0"]
[TimeControl "180+0"]

1. e4 { [%clk 0:03:00] } e5 { [%clk 0:03:00] } 2. Bc4 { [%clk 0:02:55] } Nc6 { [%clk 0:02:50] }
3. Qh5 { [%clk 0:02:40] } Nf6 { [%clk 0:02:49] } 4. Qxf7# { [%clk 0:02:38] } 1-0
`;

test('a pasted game is reviewed, and its names are only text', async ({ page }) => {
  let hacked = false;
  await page.exposeFunction('hacked', () => (hacked = true));
  await page.goto('/#/review');
  await page.getByLabel('Paste a game in PGN').fill(SCHOLAR);
  await page.getByRole('button', { name: 'Review it' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('<img src=x onerror=hacked()>');
  await expect(page.getByLabel('Progress of the review')).toHaveCount(0);
  await expect(moves(page).nth(5)).toHaveText('Nf6??');
  await moves(page).nth(5).click();
  await expect(page.getByText('Blunder: gives away')).toBeVisible();
  // What people play is shown only where a network knows it.
  const minds: { name: string }[] = await (await page.request.get('/api/minds')).json();
  if (minds.some(({ name }) => name.startsWith('human:'))) {
    await expect(page.getByRole('row', { name: /Nf6.*played/ })).toBeVisible();
    await expect(page.getByRole('img', { name: 'Chance of each move against rating' })).toBeVisible();
  }
  await expect(page.getByText('this move took 1.0 s')).toBeVisible();
  // The review has an address of its own and is there again after a reload.
  await expect(page).toHaveURL(/#\/review\/[0-9a-f]{16}$/);
  await page.reload();
  await expect(moves(page).nth(5)).toHaveText('Nf6??');
  await expect(page.getByLabel('Progress of the review')).toHaveCount(0);
  await page.keyboard.press('Home');
  await expect(page.getByText('Use the arrow keys')).toBeVisible();
  expect(hacked).toBe(false);
});

test('of several pasted games one is chosen, and what is no game is told in plain words', async ({ page }) => {
  await page.goto('/#/review');
  const field = page.getByLabel('Paste a game in PGN');
  await field.fill('hello');
  await page.getByRole('button', { name: 'Review it' }).click();
  await expect(page.getByRole('alert')).toContainText('there is no game in this text');
  const game = (white: string, elo: number) => `[White "${white}"]\n[Black "Bob"]\n[WhiteElo "${elo}"]\n[BlackElo "1972"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n`;
  await field.fill(game('Ann', 1500) + game('Eve', 1647));
  await page.getByRole('button', { name: 'Review it' }).click();
  await page.getByRole('button', { name: '2. Eve – Bob' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Eve (1647) – Bob (1972)');
  await expect(page.getByLabel('Progress of the review')).toHaveCount(0);
  await moves(page).nth(1).click();
  const minds: { name: string }[] = await (await page.request.get('/api/minds')).json();
  if (minds.some(({ name }) => name.startsWith('human:'))) {
    await expect(page.getByRole('columnheader', { name: '1972 (Black)' })).toBeVisible();
  }
  await page.goto('/#/review');
  await page.getByRole('button', { name: 'Remove the review of Eve – Bob' }).click();
  await expect(page.getByRole('link', { name: 'Eve – Bob' })).toHaveCount(0);
});

test('a game that was played is reviewed from its end', async ({ page }) => {
  await newGame(page, { name: '<b>Ann</b>' });
  await expect(page.getByText('<b>Ann</b>')).toBeVisible();
  await drag(page, 'f2', 'f3');
  await expect(moves(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Really resign?' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Review the game' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Review');
  await expect(moves(page)).toHaveCount(2);
});

test('a position is practised from a FEN, again and again', async ({ page }) => {
  await page.goto('/#/practise');
  await page.getByRole('tab', { name: 'FEN or PGN' }).click();
  const field = page.getByLabel('FEN of a position, or PGN of a game');
  await field.fill('nonsense');
  await page.getByRole('button', { name: 'Set up the board' }).click();
  await expect(page.getByRole('alert')).toContainText('neither a FEN nor a PGN');
  await field.fill('8/8/8/4k3/8/8/4P3/4K3 w - - 0 1');
  await page.getByRole('button', { name: 'Set up the board' }).click();
  await page.getByLabel('Name of this tabiya').fill('King and pawn');
  await page.getByRole('button', { name: 'Save to my tabiyas' }).click();
  await page.getByRole('button', { name: 'Play from here' }).click();
  await expect(page.getByText('King and pawn')).toBeVisible();
  await expect(page.locator('main cg-board piece:not(.ghost)')).toHaveCount(3);
  await page.getByRole('button', { name: 'Call off' }).click();
  await page.getByRole('button', { name: 'Again, same colours' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('King and pawn')).toBeVisible();
  await page.goto('/#/practise');
  await page.getByRole('tab', { name: 'My tabiyas' }).click();
  await page.getByRole('button', { name: 'King and pawn', exact: true }).click();
  await expect(page.locator('main .board cg-board piece:not(.ghost)')).toHaveCount(3);
});

test('an opening is found by name, and a past position is practised', async ({ page }) => {
  await page.goto('/#/practise');
  await page.getByPlaceholder('Najdorf').fill('najdorf sicilian');
  await page.getByRole('button', { name: 'Sicilian Defense: Najdorf Variation', exact: false }).first().click();
  await expect(moves(page)).toHaveCount(10);
  // The Najdorf is Black's choice.
  await expect(page.getByRole('radio', { name: 'Black' })).toBeChecked();
  await page.getByRole('radio', { name: 'White' }).check();
  await page.getByRole('button', { name: 'Play from here' }).click();
  await expect(moves(page).nth(9)).toHaveText('a6');
  await page.getByRole('button', { name: 'One move back' }).click();
  await page.getByRole('button', { name: 'Practise from here' }).click();
  await expect(moves(page)).toHaveCount(9);
});

test('every mind shows what it thinks', async ({ page }) => {
  await page.goto('/#/minds');
  const minds: { name: string; title: string }[] = await (await page.request.get('/api/minds')).json();
  // A family is shown once, as it usually thinks: that is the first of its cards.
  const family = (mind: { name: string }) => mind.name.split(':')[0];
  const usual = minds.filter((mind, at) => minds.findIndex((other) => family(other) === family(mind)) === at);
  expect(usual.length).toBeGreaterThan(1);
  for (const mind of usual) {
    await expect(page.getByRole('region', { name: mind.title, exact: true })).toBeVisible();
  }
  await drag(page, 'e2', 'e4');
  await expect(moves(page)).toHaveCount(1);
  await expect(page.locator('.cg-shapes line').first()).toBeAttached();
  // The address follows the position.
  await expect(page).toHaveURL(/moves=e2e4/);
  await page.reload();
  await expect(moves(page)).toHaveCount(1);
});

for (const [typed, found] of [['grunfeld', 'Grünfeld Defense'], ['kings indian', "King's Indian"], ['caro kann', 'Caro-Kann Defense']] as const) {
  test(`“${typed}” finds the ${found}`, async ({ page }) => {
    await page.goto('/#/practise');
    await page.getByPlaceholder('Najdorf').fill(typed);
    await expect(page.locator('.source li').first()).toContainText(found);
  });
}
