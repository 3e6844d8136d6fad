import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vite';
import { GUIDE_ENTRY, guidePages } from './src/guide/guide-pages.ts';
import { shared } from './vite.shared.ts';

export default mergeConfig(
  shared,
  defineConfig({
    root: import.meta.dirname,
    plugins: [guidePages()],
    build: {
      rolldownOptions: { input: { index: join(import.meta.dirname, 'index.html'), guide: GUIDE_ENTRY } },
    },
  }),
);
