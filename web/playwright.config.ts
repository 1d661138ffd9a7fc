import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { defineConfig, devices } from '@playwright/test';

const port = Number(process.env.TABIYA_PORT ?? 17878);
// The tests run against a real server: the binary that cargo built, with a folder of its own.
const binary = process.env.TABIYA ?? '../target/debug/tabiya';
process.env.TABIYA_TEST_DATA ??= mkdtempSync(join(tmpdir(), 'tabiya-page-'));
const chromium = { launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] } };
// An unchanged Firefox is driven by WebDriver BiDi, which Playwright 1.65 speaks in a way that the ESR does not understand yet: hence 1.64.
// It takes twice as long as Chromium, so it is tested where FIREFOX names it.
const firefox = process.env.FIREFOX;
const desktop = { viewport: { width: 1280, height: 800 } };

export default defineConfig({
  testDir: 'e2e',
  timeout: 45_000,
  expect: { timeout: 15_000 },
  workers: 1,
  retries: process.env.CI ? 1 : 0,
  reporter: [['list']],
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    // Debian's browsers; Playwright downloads none.
  },
  projects: [
    { name: 'desktop', use: { ...desktop, ...chromium }, testIgnore: '**/touch.spec.ts' },
    { name: 'phone', use: { ...devices['Pixel 7'], defaultBrowserType: 'chromium', ...chromium }, testMatch: '**/touch.spec.ts' },
    // What a browser may do differently: boards, streams of lines, dialogs, storage.
    ...(firefox
      ? [{ name: 'firefox', use: { ...desktop, browserName: 'firefox' as const, channel: 'moz-firefox', launchOptions: { executablePath: firefox } }, testIgnore: '**/touch.spec.ts' }]
      : []),
  ],
  webServer: {
    command: `${binary} play --port ${port} --data ${process.env.TABIYA_TEST_DATA}`,
    url: `http://127.0.0.1:${port}/api/minds`,
    stdout: 'ignore',
    reuseExistingServer: !process.env.CI,
  },
});
