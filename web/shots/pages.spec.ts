import { expect, test, type Page } from '@playwright/test';

import { moves, newGame } from '../e2e/board';

const FOLDER = process.env.SHOTS ?? 'test-results/shots';
const GAME = `[White "Morphy"]
[Black "Duke of Brunswick and Count Isouard"]
[Result "1-0"]
[TimeControl "300+0"]

1. e4 { [%clk 0:05:00] } e5 { [%clk 0:05:00] } 2. Nf3 { [%clk 0:04:58] } d6 { [%clk 0:04:55] } 3. d4 { [%clk 0:04:51] } Bg4 { [%clk 0:04:40] }
4. dxe5 { [%clk 0:04:47] } Bxf3 { [%clk 0:04:37] } 5. Qxf3 { [%clk 0:04:44] } dxe5 { [%clk 0:04:30] } 6. Bc4 { [%clk 0:04:40] } Nf6 { [%clk 0:04:12] }
7. Qb3 { [%clk 0:04:21] } Qe7 { [%clk 0:03:50] } 8. Nc3 { [%clk 0:04:10] } c6 { [%clk 0:03:31] } 9. Bg5 { [%clk 0:03:55] } b5 { [%clk 0:03:20] }
10. Nxb5 { [%clk 0:03:11] } cxb5 { [%clk 0:03:02] } 11. Bxb5+ { [%clk 0:03:05] } Nbd7 { [%clk 0:02:50] } 12. O-O-O { [%clk 0:02:58] } Rd8 { [%clk 0:02:31] }
13. Rxd7 { [%clk 0:02:40] } Rxd7 { [%clk 0:02:25] } 14. Rd1 { [%clk 0:02:37] } Qe6 { [%clk 0:02:01] } 15. Bxd7+ { [%clk 0:02:30] } Nxd7 { [%clk 0:01:55] }
16. Qb8+ { [%clk 0:02:11] } Nxb8 { [%clk 0:01:52] } 17. Rd8# { [%clk 0:02:09] } 1-0
`;

const shoot = (page: Page, name: string) => page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true });
const desk = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

async function midgame(page: Page): Promise<void> {
  const opening = 'e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6 f2f4'.split(' ');
  await newGame(page, { mind: 'human:instant', start: { moves: opening }, color: 'black', time: { base_s: 300, increment_s: 3 }, pace: 'at_once' });
  for (const move of ['Be7', 'h6', 'O-O']) {
    const before = await moves(page).count();
    await page.getByLabel('Type a move').fill(move);
    await page.getByLabel('Type a move').press('Enter');
    await page.waitForTimeout(2500);
    if ((await moves(page).count()) === before) await page.getByLabel('Type a move').fill('');
  }
  await page.getByLabel('Type a move').blur();
}

async function review(page: Page): Promise<void> {
  await page.goto('/#/review');
  await page.getByLabel('Paste a game in PGN').fill(GAME);
  await page.getByRole('button', { name: 'Review it' }).click();
  await expect(page.getByLabel('Progress of the review')).toHaveCount(0, { timeout: 100_000 });
  await moves(page).nth(17).click();
  await page.waitForTimeout(500);
}

for (const scheme of ['dark', 'light'] as const) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme, viewport: desk });

    test('play', async ({ page }) => {
      await page.goto('/');
      await page.waitForLoadState('networkidle');
      await shoot(page, `start-${scheme}`);
      await midgame(page);
      await shoot(page, `play-${scheme}`);
      await page.getByRole('button', { name: 'Resign' }).click();
      await page.getByRole('button', { name: 'Really resign?' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await shoot(page, `result-${scheme}`);
      await page.goto('/');
      await page.waitForLoadState('networkidle');
      await shoot(page, `lobby-${scheme}`);
    });

    test('practise', async ({ page }) => {
      await page.goto('/#/practise');
      await page.getByPlaceholder('Najdorf').fill('caro advance');
      await page.getByRole('button', { name: 'Caro-Kann Defense: Advance', exact: false }).first().click();
      await page.waitForTimeout(600);
      await shoot(page, `practise-${scheme}`);
    });

    test('review', async ({ page }) => {
      await review(page);
      await shoot(page, `review-${scheme}`);
    });

    test('analysis', async ({ page }) => {
      await page.goto('/#/analysis?moves=e2e4,e7e5,g1f3,b8c6,f1c4');
      await page.getByRole('button', { name: 'Think' }).click();
      await page.waitForTimeout(4000);
      await shoot(page, `analysis-${scheme}`);
    });

    test('train', async ({ page }) => {
      await page.goto('/#/train/repertoire');
      await page.getByLabel('Moves, with variations').fill('1. e4 c6 2. d4 (2. Nc3 d5) 2... d5 3. e5 (3. exd5 cxd5) 3... Bf5');
      await page.getByLabel('Name', { exact: true }).fill('Caro-Kann');
      await page.getByLabel('You play').selectOption('black');
      await page.getByRole('button', { name: 'Keep it' }).click();
      await page.getByRole('button', { name: /lines/ }).click();
      await shoot(page, `repertoire-${scheme}`);
      await page.getByRole('button', { name: 'Drill' }).click();
      await page.waitForTimeout(2500);
      await shoot(page, `drill-${scheme}`);
      await page.goto('/#/train/games');
      await page.locator('input[type=file]').setInputFiles({ name: 'games.pgn', mimeType: 'text/plain', buffer: Buffer.from(GAME.repeat(3)) });
      await page.getByLabel('Who are you in games.pgn?').selectOption({ index: 1 });
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await expect(page.getByText('mistakes worth learning from')).toBeVisible({ timeout: 60_000 });
      await shoot(page, `games-${scheme}`);
      await page.goto('/#/train/mistakes');
      await page.waitForTimeout(2000);
      await shoot(page, `mistakes-${scheme}`);
      await page.goto('/#/profile');
      await page.waitForTimeout(1000);
      await shoot(page, `profile-${scheme}`);
      await page.goto('/#/train/people');
      await page.locator('input[type=file]').setInputFiles({ name: 'games.pgn', mimeType: 'text/plain', buffer: Buffer.from(GAME) });
      await page.getByLabel('Whose games in games.pgn?').selectOption({ index: 1 });
      await page.getByRole('button', { name: 'Prepare' }).click();
      await page.waitForTimeout(2000);
      await shoot(page, `people-${scheme}`);
      await page.getByRole('button', { name: 'Settings' }).click();
      await shoot(page, `settings-${scheme}`);
    });

    test('minds', async ({ page }) => {
      await page.goto('/#/minds?moves=e2e4,e7e5,g1f3,b8c6,f1c4');
      await page.waitForLoadState('networkidle');
      await page.waitForTimeout(2500);
      await shoot(page, `minds-${scheme}`);
    });
  });
}

test.describe('phone', () => {
  test.use({ colorScheme: 'dark', viewport: phone, hasTouch: true, deviceScaleFactor: 2 });

  test('play on a phone', async ({ page }) => {
    await page.goto('/');
    await page.waitForLoadState('networkidle');
    await shoot(page, 'phone-start');
    await midgame(page);
    await shoot(page, 'phone-play');
    await review(page);
    await shoot(page, 'phone-review');
    await page.getByRole('tab', { name: 'Explorer' }).click();
    await page.waitForTimeout(1500);
    await shoot(page, 'phone-explorer');
    await page.goto('/#/analysis?moves=e2e4,e7e5');
    await page.waitForTimeout(1500);
    await shoot(page, 'phone-analysis');
    await page.goto('/#/practise');
    await page.waitForTimeout(1000);
    await shoot(page, 'phone-practise');
    await page.goto('/#/minds');
    await page.waitForTimeout(2500);
    await shoot(page, 'phone-minds');
  });

  test('training on a phone, from right to left', async ({ page }) => {
    await page.addInitScript(() => localStorage.setItem('tabiya', JSON.stringify({ language: 'ar', ratingTold: true })));
    for (const place of ['play', 'practise', 'analysis', 'minds', 'train/repertoire', 'train/people', 'train/games', 'profile']) {
      await page.goto(`/#/${place}`);
      await page.waitForLoadState('networkidle');
      await page.waitForTimeout(1000);
      await shoot(page, `phone-ar-${place.replace('train/', '')}`);
    }
  });
});
