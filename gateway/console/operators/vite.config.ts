import { defineConfig, mergeConfig } from 'vite';
import { shared } from '../vite.shared.ts';

/**
 * The operators' page shares parts with the public one, but is built separately: the public page contains none of it.
 */
export default mergeConfig(shared, defineConfig({ root: import.meta.dirname }));
