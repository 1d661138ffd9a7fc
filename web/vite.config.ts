import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const SERVER = 'http://127.0.0.1:7878';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // Fonts and pictures as data: addresses are allowed by the page's policy; scripts and styles are files.
    modulePreload: { polyfill: false },
  },
  // The server answers its own page alone, so the page of `npm run dev` has to pass for it.
  server: {
    proxy: { '/api': { target: SERVER, ws: true, changeOrigin: true, rewriteWsOrigin: true, headers: { origin: SERVER } } },
  },
});
