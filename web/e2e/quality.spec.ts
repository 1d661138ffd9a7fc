import { readFileSync } from 'node:fs';

import { expect, test } from '@playwright/test';

import { newGame } from './board';

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

for (const scheme of ['dark', 'light'] as const) {
  test(`no page keeps anybody out (${scheme})`, async ({ page }) => {
    // Twelve pages are looked through; Firefox takes twice as long for it as Chromium.
    test.slow();
    await page.emulateMedia({ colorScheme: scheme });
    const id = await newGame(page);
    for (const path of ['play', `game/${id}`, 'practise', 'analysis', 'train', 'train/repertoire', 'train/people', 'train/games', 'profile', 'review', `review/${id}`, 'minds']) {
      await page.goto(`/#/${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
      await page.waitForLoadState('networkidle');
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => (window as never as { axe: { run(): Promise<{ violations: Finding[] }> } }).axe.run());
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      const told = grave.map(({ id: rule, nodes }) => `${rule}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
      expect(told, path).toEqual([]);
    }
  });
}

test('nothing is asked of any other host, and the page is there within a second', async ({ page, baseURL }) => {
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== baseURL) foreign.push(request.url());
  });
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Start the game' })).toBeEnabled();
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
  console.log(`first contentful paint after ${Math.round(paint)} ms`);
  for (const name of ['practise', 'analysis', 'review', 'minds']) {
    await page.goto(`/#/${name}`);
    await page.waitForLoadState('networkidle');
  }
  expect(foreign).toEqual([]);
  expect(errors).toEqual([]);
});
