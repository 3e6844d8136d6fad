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
import { type Command, type Exit, type Output, runToExit } from './product-process.ts';

export { removeDataDir } from './embedded-product.ts';
export type { Exit, Output } from './product-process.ts';
export { temporaryFolder } from './temporary-folder.ts';
export { until } from './until.ts';

export interface ProductOptions {
  /** PORT is 0 unless it is set here. */
  readonly env?: Env;
  /** Kept when the product stops; by default a new one that goes with it. */
  readonly dataDir?: string;
  /** The launcher by default. */
  readonly command?: Command;
}

export interface Product extends AsyncDisposable {
  readonly baseUrl: string;
  /** Where its splitters find the bundled audio; ends in a slash. */
  readonly samplesUrl: string;
  /** This machine, as the product reaches it. */
  readonly hostAddress: string;
  /** Of the development account; unused so far. */
  readonly apiKey: string;
  /** Its mails are in `mail`. */
  readonly dataDir: string;
  /** The splitters' own; what belongs to a job has its id in its path. */
  readonly scratchDirs: readonly string[];
  readonly output: () => Output;
  /** Of what was started, but for those parts that have one of their own. */
  readonly processGroup: number;
  /** Names of such parts, as far as they still run. */
  readonly runningParts: () => Promise<readonly string[]>;
  /** To the process that was started, and to no other. */
  signal(signal: NodeJS.Signals): void;
  /** `kill -9` to everything that an out-of-memory killer or a power cut might take; a database survives it. */
  killHard(): Promise<void>;
  /** Settled once all processes that share its outputs have ended. */
  readonly exited: Promise<Exit>;
}

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
