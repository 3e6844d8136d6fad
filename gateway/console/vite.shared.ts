import { defaultClientConditions, type UserConfig } from 'vite';

/** Browsers of the last two years, which all support the CSS (light-dark, nesting) and HTML (dialog) in use. */
const BROWSERS = ['es2023', 'chrome123', 'firefox121', 'safari17.5'];

/** Shared build settings. The content policy forbids inline scripts and styles. */
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
