/** The product as its users start it. */
import type { Env } from '@audiosplit/chassis/process/env';
import type { Command, Exit, Output } from './command.ts';

/** What its callers need. */
export interface Product {
  readonly baseUrl: string;
  /** Where its splitters find the bundled audio; ends in a slash. */
  readonly samplesUrl: string;
  /** This machine, as the product reaches it. */
  readonly hostAddress: string;
  /** Of an account with room for a suite. */
  readonly apiKey: string;
  /** Its mails are in `mail`. */
  readonly dataDir: string;
  /** The splitters' own; what belongs to a job has its id in its path. */
  readonly scratchDirs: readonly string[];
  /** Of every request to it. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface StartedProduct extends Product, AsyncDisposable {
  readonly output: () => Output;
  /** Of the started process, without the parts that have a process group of their own. */
  readonly processGroup: number;
  /** Names of the parts with a process group of their own that still run. */
  readonly runningParts: () => Promise<readonly string[]>;
  /** To the process that was started, and to no other. */
  signal(signal: NodeJS.Signals): void;
  /** `kill -9` to everything that an out-of-memory killer or a power cut might take; a database survives it. */
  killHard(): Promise<void>;
  /** Settled once all processes that share its outputs have ended. */
  readonly exited: Promise<Exit>;
}

export interface UserOptions {
  readonly kind: 'as-a-user';
  /** PORT is 0 unless it is set here. */
  readonly env?: Env;
  /** Kept when the product stops; by default a new one that goes with it. */
  readonly dataDir?: string;
  /** The launcher by default. */
  readonly command?: Command;
}
