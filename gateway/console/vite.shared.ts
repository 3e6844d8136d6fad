import { defaultClientConditions, type UserConfig } from 'vite';

/** Browsers of the last two years: what the pages use of CSS (light-dark, nesting) and HTML (dialog) is in all of them. */
const BROWSERS = ['es2023', 'chrome123', 'firefox121', 'safari17.5'];

/** How every page is built. The strict content policy lets nothing in that is written into the document. */
export const shared: UserConfig = {
  build: {
    target: BROWSERS,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // Packages of this repository are read as they are written, not as they were built last.
  resolve: { conditions: ['audiosplit-source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
};
