import { join } from 'node:path';
import { defineConfig } from 'vite';
import { GUIDE_ENTRY, guidePages } from './src/guide/guide-pages.ts';

/** Browsers of the last two years: what the page uses of CSS (light-dark, nesting) and HTML (dialog) is in all of them. */
const BROWSERS = ['es2023', 'chrome123', 'firefox121', 'safari17.5'];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [guidePages()],
  // The strict content policy lets nothing in that is written into the document.
  build: {
    target: BROWSERS,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: { index: join(import.meta.dirname, 'index.html'), guide: GUIDE_ENTRY } },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
});
