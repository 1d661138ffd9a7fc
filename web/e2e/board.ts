// What every test does on a board.

import { expect, type Locator, type Page } from '@playwright/test';

type Side = 'white' | 'black';

export const ENGINE = 'heuristic:alpha-beta';

/** Begins a game through the interface, with an opponent that answers at once, and goes to it. */
export async function newGame(page: Page, changes: object = {}): Promise<string> {
  const setup = {
    mind: ENGINE,
    rating: 1500,
    own_rating: 1500,
    color: 'white',
    time: { base_s: 300, increment_s: 0 },
    pace: 'at_once',
    ...changes,
  };
  await page.goto('/');
  const response = await page.request.post('/api/games', { data: setup });
  expect(response.status(), await response.text()).toBe(201);
  const { id } = await response.json();
  await page.goto(`/#/game/${id}`);
  await expect(page.locator('main .board cg-board piece').first()).toBeVisible();
  return id;
}

export async function at(page: Page, square: string, side: Side = 'white'): Promise<{ x: number; y: number }> {
  const board = page.locator('main .board cg-board').first();
  await board.scrollIntoViewIfNeeded();
  const box = (await board.boundingBox())!;
  const [file, rank] = [square.charCodeAt(0) - 97, Number(square[1]) - 1];
  const [column, row] = side === 'white' ? [file, 7 - rank] : [7 - file, rank];
  return { x: box.x + ((column + 0.5) * box.width) / 8, y: box.y + ((row + 0.5) * box.height) / 8 };
}

export async function drag(page: Page, from: string, to: string, side: Side = 'white'): Promise<void> {
  const [a, b] = [await at(page, from, side), await at(page, to, side)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 4 });
  await page.mouse.move(b.x, b.y, { steps: 4 });
  await page.mouse.up();
}

export async function click(page: Page, from: string, to: string, side: Side = 'white'): Promise<void> {
  for (const square of [from, to]) {
    const { x, y } = await at(page, square, side);
    await page.mouse.click(x, y);
  }
}

/** Writes a number in the place of what stands in a field. Driven by WebDriver BiDi, Firefox would set it beside the old one with `fill`. */
export async function writeNumber(field: Locator, number: number): Promise<void> {
  await field.click();
  await field.press('ControlOrMeta+a');
  await field.pressSequentially(`${number}`);
}

export function moves(page: Page): Locator {
  return page.getByRole('group', { name: 'Moves' }).getByRole('button');
}

/** Keeps the opponent's first answer from the page until it is let go, so that no test depends on how fast it comes. */
export async function holdAnswers(page: Page): Promise<{ letGo(): void }> {
  const held: string[] = [];
  let open = false;
  let pass: (message: string) => void = () => undefined;
  await page.routeWebSocket('**/socket', (line) => {
    const server = line.connectToServer();
    pass = (message) => line.send(message);
    server.onMessage((message) => {
      const said = String(message);
      const plies = (JSON.parse(said).game?.moves ?? []).length;
      if (open || plies < 2) line.send(message);
      else held.push(said);
    });
  });
  return {
    letGo() {
      open = true;
      held.forEach((message) => pass(message));
    },
  };
}
