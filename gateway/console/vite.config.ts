import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vite';
import { GUIDE_ENTRY, guidePages, REFERENCE_ENTRY } from './src/guide/guide-pages.ts';
import { shared } from './vite.shared.ts';

export default mergeConfig(
  shared,
  defineConfig({
    root: import.meta.dirname,
    plugins: [guidePages()],
    build: {
      // The reference's script contains Swagger UI.
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: {
        input: {
          index: join(import.meta.dirname, 'index.html'),
          guide: GUIDE_ENTRY,
          reference: REFERENCE_ENTRY,
        },
      },
    },
  }),
);
