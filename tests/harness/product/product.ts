/**
 * The product as its users have it, seen from outside: `npm start` in a clone, with `--distributed` the separate
 * processes of `npm run up`, or with `--containers` those of `npm run compose`. Scenarios are the same for all.
 */
import type { Env } from '@audiosplit/chassis/process/env';
import { attachToInstallation } from './attached-product.ts';
import { containersUnderTest } from './containers-under-test.ts';
import {
  DISTRIBUTED_LAUNCHER,
  DISTRIBUTED_NPM,
  isDistributed,
  startDistributedProduct,
} from './distributed-product.ts';
import { EMBEDDED_LAUNCHER, EMBEDDED_NPM, startEmbeddedProduct } from './embedded-product.ts';
import { type Exit, runToExit } from './product-process.ts';
import type { Product, ProductOptions } from './running-product.ts';

export { removeDataDir } from './embedded-product.ts';
export type { Exit, Output } from './product-process.ts';
export { temporaryFolder } from './temporary-folder.ts';
export { until } from './until.ts';

export type { Product, ProductOptions };

/** The launcher without npm around it, which adds words of its own to a failure. */
export const LAUNCHER = isDistributed ? DISTRIBUTED_LAUNCHER : EMBEDDED_LAUNCHER;
export const NPM_START = isDistributed ? DISTRIBUTED_NPM : EMBEDDED_NPM;

export function startProduct(options: ProductOptions = {}): Promise<Product> {
  if (containersUnderTest !== undefined) return attachToInstallation(containersUnderTest);
  return isDistributed ? startDistributedProduct(options) : startEmbeddedProduct(options);
}

/** Starts what is expected to give up by itself. */
export function runProduct(env: Env): Promise<Exit> {
  return runToExit(LAUNCHER, env);
}
