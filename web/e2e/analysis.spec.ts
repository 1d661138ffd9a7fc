import { expect, test } from '@playwright/test';

import { at, drag, moves } from './board';

const STUDY = `[Event "Study"]

1. e4 { King's pawn [%cal Ge2e4] } e5 (1... c5 $1 2. Nf3 (2. c3)) 2. Nf3 Nc6 *
`;

test('moves, variations and comments are made, kept and exported', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/#/analysis');
  await drag(page, 'e2', 'e4');
  await drag(page, 'e7', 'e5');
  await page.getByRole('button', { name: 'One move back' }).click();
  await drag(page, 'c7', 'c5');
  await expect(moves(page)).toHaveText(['e4', 'e5', 'c5']);
  await page.getByRole('button', { name: '!?' }).click();
  await page.getByLabel('Comment on c5').fill('The Sicilian');
  const [from, to] = [await at(page, 'g1'), await at(page, 'f3')];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up({ button: 'right' });
  await page.reload();
  await expect(moves(page)).toHaveText(['e4', 'e5', 'c5!?']);
  await expect(page.locator('.cg-shapes line')).toHaveCount(1);
  await page.getByRole('button', { name: 'Main line' }).click();
  await expect(moves(page)).toHaveText(['e4', 'c5!?', 'e5']);
  await page.getByText('Set up, load, save').click();
  await page.getByRole('button', { name: 'Copy PGN' }).click();
  const pgn = await page.evaluate(() => navigator.clipboard.readText());
  expect(pgn).toContain('1. e4 c5 $5 { The Sicilian [%cal Gg1f3] } ( 1... e5 )');
  await page.getByRole('button', { name: 'Delete from here' }).click();
  await expect(moves(page)).toHaveText(['e4', 'e5']);
});

test('a study is read with all that is in it', async ({ page }) => {
  await page.goto('/#/analysis');
  await page.getByText('Set up, load, save').click();
  await page.getByLabel('PGN with variations, or FEN').fill(STUDY);
  await page.getByRole('button', { name: 'Set up the board' }).click();
  await expect(moves(page)).toHaveText(['e4', 'e5', 'c5!', 'Nf3', 'c3', 'Nf3', 'Nc6']);
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText("King's pawn").first()).toBeVisible();
  await expect(page.locator('.cg-shapes line')).toHaveCount(1);
  await expect(page).toHaveURL(/moves=e2e4/);
});

test('the engine thinks along until it is stopped', async ({ page }) => {
  await page.goto('/#/analysis?moves=e2e4,e7e5');
  const engine = page.getByRole('region', { name: 'Engine' });
  await engine.getByLabel('Lines').selectOption('2');
  await engine.getByRole('button', { name: 'Think' }).click();
  await expect(engine.getByText(/depth \d+/)).toBeVisible();
  await expect(engine.locator('p')).toHaveCount(2);
  await engine.locator('p button').first().click();
  await expect(moves(page)).toHaveCount(3);
  await expect(engine.getByText(/depth \d+/)).toBeVisible();
  await engine.getByRole('button', { name: 'Stop' }).click();
  await expect(engine.locator('p')).toHaveCount(0);
});

test('the graph shows the whole line', async ({ page }) => {
  await page.goto('/#/analysis?moves=f2f3,e7e5,g2g4,d8h4');
  await page.getByRole('button', { name: 'Evaluation graph' }).click();
  const graph = page.getByRole('img', { name: "White's winning chances" }).locator('.u-over');
  await expect(graph).toBeVisible();
  await expect(page.getByRole('button', { name: 'Evaluation graph' })).toBeEnabled();
  const box = (await graph.boundingBox())!;
  await graph.click({ position: { x: 2, y: box.height / 2 } });
  await expect(page.getByRole('button', { name: 'One move back' })).toBeDisabled();
});

test('people are asked wherever one is, and the tree is walked by their moves', async ({ page }) => {
  const minds: { name: string }[] = await (await page.request.get('/api/minds')).json();
  test.skip(!minds.some(({ name }) => name.startsWith('human:')), 'no network knows people');
  await page.goto('/#/analysis?moves=e2e4,e7e5,g1f3,b8c6,f1c4');
  const explorer = page.getByRole('region', { name: 'Opening explorer' });
  await explorer.getByLabel('Rating of the people').selectOption('900');
  await expect(explorer.getByText('Italian Game')).toBeVisible();
  await expect(explorer.locator('tbody th').first()).toBeVisible();
  await expect(explorer.getByText('·')).toHaveCount(0);
  await explorer.getByRole('button', { name: 'Trap' }).click();
  await explorer.getByRole('button', { name: 'Nf6', exact: true }).click();
  await expect(moves(page)).toHaveCount(6);
  await page.goto('/#/practise');
  await page.getByRole('tab', { name: 'Explorer' }).click();
  await explorer.getByRole('button', { name: 'e4', exact: true }).click();
  await expect(moves(page)).toHaveCount(1);
});
