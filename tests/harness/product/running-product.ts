/** What a suite sees of a product that runs, whichever way it was started. */
import type { Env } from '@audiosplit/chassis/process/env';
import type { Command, Exit, Output } from './product-process.ts';

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
