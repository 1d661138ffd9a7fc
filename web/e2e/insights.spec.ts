import { expect, test, type Page } from '@playwright/test';

import { at } from './board';

async function card(page: Page, insight: string): Promise<object | undefined> {
  const minds: { insights: string[] }[] = await (await page.request.get('/api/minds')).json();
  return minds.find(({ insights }) => insights.includes(insight));
}

test('the web of a position is drawn over the board, and a piece shows its own lines', async ({ page }) => {
  await page.goto('/');
  test.skip(!(await card(page, 'web')), 'no mind attends along a graph');
  await page.goto('/#/minds?moves=e2e4,d7d5');
  await page.getByRole('button', { name: 'Tension web' }).first().click();
  const web = page.locator('svg.web');
  await expect(web).toBeVisible();
  const all = Number(await web.getAttribute('data-lines'));
  expect(all).toBeGreaterThan(20);
  await page.getByLabel('Lines of').selectOption('d5');
  const lines = page.getByRole('list', { name: 'Lines of black pawn d5' });
  await expect(lines.getByText('white pawn e4 attacks black pawn d5')).toBeVisible();
  await page.locator('main .board').first().scrollIntoViewIfNeeded();
  const { x, y } = await at(page, 'g1');
  await page.mouse.move(x, y);
  await expect(page.getByRole('list', { name: 'Lines of white knight g1' })).toBeVisible();
  await page.mouse.move(0, 0);
  await page.getByLabel('Attacks').uncheck();
  await expect.poll(async () => Number(await web.getAttribute('data-lines'))).toBeLessThan(all);
  await page.getByLabel('What the network attends to').check();
  await expect(page.getByRole('combobox', { name: /^Layer/ })).toBeVisible();
  await expect(page).toHaveURL(/inside=/);
  await page.reload();
  await expect(web).toBeVisible();
});

/** A mind of known answers in the place of those that can be looked into in this way. */
async function withMind(page: Page, insight: string): Promise<void> {
  // Asked for beforehand: not every browser lets an answer pass through the test.
  const answer = await (await page.request.post('/api/opinions', { data: { moves: [], rating: 1500 } })).json();
  await page.route('**/api/opinions', async (route) => {
    const opinion = { ...answer.minds[0], name: `${insight}:instant`, title: 'Echo', insights: [insight] };
    const others = answer.minds.filter(({ insights }: { insights: string[] }) => !insights.includes(insight));
    await route.fulfill({ json: { ...answer, minds: [...others, opinion] } });
  });
}

test('how a mind changes from pass to pass', async ({ page }) => {
  await withMind(page, 'passes');
  const policy = (e4: number) => [{ uci: 'e2e4', san: 'e4', chance: e4 }, { uci: 'd2d4', san: 'd4', chance: 1 - e4 }].sort((a, b) => b.chance - a.chance);
  await page.route('**/api/insights/passes', (route) =>
    route.fulfill({ json: [0.8, 0.6, 0.3].map((e4, i) => ({ passes: i + 1, policy: policy(e4), chances: [0.4, 0.3, 0.3] })) }));
  await page.goto('/#/minds');
  await page.getByRole('button', { name: 'Pass by pass' }).click();
  const passes = page.getByRole('region', { name: 'Passes' });
  await expect(passes.getByText('It changes its mind at pass 3.')).toBeVisible();
  await expect(passes.getByRole('row', { name: 'e4 80% 60% 30%' })).toBeVisible();
});

test('what a mind imagines is played out, and its first wrong position is marked', async ({ page }) => {
  await withMind(page, 'imagination');
  const after = 'RNBQKBNRPPPP.PPP............P...................pppppppprnbqkbnr';
  const frame = (actions: (string[] | null)[], letters: string) => ({ actions, sure: actions.map((each) => (each ? 0.9 : 0.1)), positions: [letters] });
  await page.route('**/api/insights/imagination', (route) =>
    route.fulfill({
      json: {
        frames: [frame([['e2', 'e4'], null], '?'.repeat(64)), frame([['e2', 'e4'], null], `${after.slice(0, 32)}${'?'.repeat(32)}`), frame([['e2', 'e4'], ['e7', 'e5']], `${after.slice(0, 63)}.`)],
        line: ['e2e4', 'e7e5'], san: ['e4', 'e5'], exact: [false], broken: false,
      },
    }));
  await page.goto('/#/minds');
  await page.getByRole('button', { name: 'What it imagines' }).click();
  const future = page.getByRole('region', { name: 'Imagined future' });
  await expect(future.getByText('step 2 of 2')).toBeVisible();
  await expect(future.getByText('the first position that is wrong stands before 1…')).toBeVisible();
  await expect(future.locator('.dream .wrong')).toHaveCount(1);
  await future.getByLabel('Step of imagining').fill('1');
  await expect(future.getByRole('img', { name: /32 squares still unknown/ })).toBeVisible();
});
