// `npm run screenshots`: pictures of every page, for those who want to see them before they start it.

import { defineConfig } from '@playwright/test';

import tests from './playwright.config';

export default defineConfig({
  ...tests,
  testDir: 'shots',
  timeout: 120_000,
  projects: [{ name: 'pictures', use: { launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] } } }],
});
