import { expect, test } from '@playwright/test';

import { drag, moves } from './board';

const BLUNDERS = `[White "Ann"]
[Black "Bob"]
[WhiteElo "1100"]
[BlackElo "1100"]
[Result "0-1"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 b5 5. Nxe5 bxa4 6. Nxc6 dxc6 7. O-O Qg5 8. d4 Qxc1 9. Nc3 Bh3 0-1
`;

test('games are imported in the background, and say something of their player', async ({ page }) => {
  await page.goto('/#/train/games');
  await page.locator('input[type=file]').setInputFiles({ name: 'ann.pgn', mimeType: 'text/plain', buffer: Buffer.from(BLUNDERS.repeat(3)) });
  await page.getByLabel('Who are you in ann.pgn?').selectOption('Bob');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('3 games of Bob')).toBeVisible();
  await expect(page.getByText('mistakes worth learning from')).toBeVisible({ timeout: 40_000 });
  await page.goto('/#/profile');
  await expect(page.getByRole('heading', { name: 'By phase of the game' })).toBeVisible();
  await expect(page.getByRole('row', { name: /^opening/ })).toBeVisible();
  await page.goto('/#/train/mistakes');
  await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible();
  await page.goto('/#/train/games');
  await page.getByRole('button', { name: 'Remove ann.pgn' }).click();
  await expect(page.getByText('3 games of Bob')).toHaveCount(0);
});

test('what is no game is told in plain words', async ({ page }) => {
  await page.goto('/#/train/games');
  await page.locator('input[type=file]').setInputFiles({ name: 'x.pgn', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await expect(page.getByRole('alert')).toContainText('no names of players');
});

test('a puzzle is solved, failed, and comes again when it is time', async ({ page }) => {
  const card = {
    id: '0123456789abcdef', game: 'Ann – Bob, 2026.01.01', ply: 6, side: 'white',
    before_fen: 'rnbqkbnr/pppp1ppp/8/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 2', lead_in: 'b8c6',
    fen: 'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4',
    played: 'a2a3', played_san: 'a3', best: 'f3f7', accepted: ['f3f7'], line: ['Qxf7#'], loss: 0.4,
    rating: 900, chance: 0.4, stronger: 1150, stronger_chance: 0.6,
  };
  await page.route('**/api/mistakes', (route) => route.fulfill({ json: [{ card, memory: null }] }));
  await page.goto('/#/train');
  await expect(page.getByText('Here you played a3 and gave away 40%')).toBeVisible();
  await expect(page.locator('square.last-move')).toHaveCount(2);
  await page.waitForTimeout(700);
  await drag(page, 'b2', 'b3');
  await expect(page.getByText('b3 is not it.')).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await drag(page, 'f3', 'f7');
  await expect(page.getByRole('heading', { name: 'The solution' })).toBeVisible();
  // Only the first answer counts.
  const memories = async () => (await page.request.get('/api/memories')).json();
  await expect.poll(memories).toMatchObject({ 'm/0123456789abcdef': { reps: 1 } });
});

test('the chapters of a study become one repertoire', async ({ page }) => {
  await page.goto('/#/train/repertoire');
  const chapters = '[Event "One"]\n\n1. e4 c6 2. d4 d5 { main } *\n\n[Event "Two"]\n\n1. e4 c6 2. Nc3 d5 (2... e5) *\n\n[Event "Three"]\n[FEN "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"]\n[SetUp "1"]\n\n1. e4 *\n';
  await page.getByLabel('Moves, with variations').fill(chapters);
  await page.getByLabel('Name', { exact: true }).fill('Study');
  await page.getByLabel('You play').selectOption('black');
  await page.getByRole('button', { name: 'Keep it' }).click();
  await expect(page.getByText('1 games begin in another position')).toBeVisible();
  const own = page.getByRole('region', { name: 'Study' });
  await own.getByRole('button', { name: '3 lines' }).click();
  for (const line of ['1. e4 c6 2. d4 d5', '1. e4 c6 2. Nc3 d5', '1. e4 c6 2. Nc3 e5']) await expect(own.getByText(line, { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Remove Study' }).click();
});

test('a repertoire is made, drilled, corrected and remembered', async ({ page }) => {
  await page.goto('/#/train/repertoire');
  await page.getByLabel('Moves, with variations').fill('1. e4 c6 2. d4 (2. Nc3 d5) 2... d5');
  await page.getByLabel('Name', { exact: true }).fill('Caro for Black');
  await page.getByLabel('You play').selectOption('black');
  await page.getByRole('button', { name: 'Keep it' }).click();
  const own = page.getByRole('region', { name: 'Caro for Black' });
  await own.getByRole('button', { name: '2 lines' }).click();
  await expect(own.getByText('1. e4 c6 2. d4 d5')).toBeVisible();
  // People who play nothing but 1. e4 and 2. d4.
  const answers = ['e2e4'];
  await page.route('**/api/explorer', async (route) => {
    const uci = answers.pop() ?? 'd2d4';
    const people = { type: 'people', fen: '', turn: 'white', rating: 1500, opening: null, expected: 0.5, moves: [{ uci, san: uci, chance: 1, expected: 0.5, chances: null }] };
    await route.fulfill({ contentType: 'application/x-ndjson', body: `${JSON.stringify(people)}\n{"type":"done"}\n` });
  });
  await own.getByRole('button', { name: 'Drill' }).click();
  await expect(page.getByText('Your move as Black.')).toBeVisible();
  await drag(page, 'e7', 'e5', 'black');
  await expect(page.getByText('Your repertoire plays c6 here')).toBeVisible();
  await drag(page, 'c7', 'c6', 'black');
  await expect(page.getByText('Your move as Black.')).toBeVisible();
  await drag(page, 'd7', 'd5', 'black');
  await expect(page.getByText('The line ends here.')).toBeVisible();
  await expect(page.getByText('1 right, 1 wrong')).toBeVisible();
  await page.unroute('**/api/explorer');
  await page.getByRole('button', { name: 'End the drill' }).click();
  await page.reload();
  await expect(own).toBeVisible();
  await own.getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Caro for Black');
  await expect(moves(page)).toHaveText(['e4', 'c6', 'd4', 'Nc3', 'd5', 'd5']);
  await page.goto('/#/train/repertoire');
  await page.getByRole('button', { name: 'Remove Caro for Black' }).click();
  await expect(own).toHaveCount(0);
});
