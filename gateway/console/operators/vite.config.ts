import { defineConfig, mergeConfig } from 'vite';
import { shared } from '../vite.shared.ts';

/** The operators' page is made of the same parts, and is a page of its own: the public one holds nothing of it. */
export default mergeConfig(
  shared,
  defineConfig({
    root: import.meta.dirname,
    build: { outDir: '../dist/operators', emptyOutDir: true },
  }),
);
