/** The product as its users start it. */
import type { Env } from '@audiosplit/chassis/process/env';
import type { Command, Exit, Output } from './command.ts';

/** The values that its callers need. */
export interface Product {
  readonly baseUrl: string;
  /** The URL at which its splitters find the bundled audio; ends in a slash. */
  readonly samplesUrl: string;
  /** This machine's address, as the product reaches it. */
  readonly hostAddress: string;
  /** Of an account whose limits suffice for a suite. */
  readonly apiKey: string;
  /** Its mails are in the subfolder `mail`. */
  readonly dataDir: string;
  /** The splitters' scratch folders; a job's files have its id in their path. */
  readonly scratchDirs: readonly string[];
  /** Headers that every request to it needs. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface StartedProduct extends Product, AsyncDisposable {
  readonly output: () => Output;
  /** The group of the started process, without the parts that have their own process group. */
  readonly processGroup: number;
  /** The names of the running parts that have their own process group. */
  readonly runningParts: () => Promise<readonly string[]>;
  /** Sends it to the started process only. */
  signal(signal: NodeJS.Signals): void;
  /**
   * `kill -9` to everything that an out-of-memory killer or a power cut might kill; a database survives it.
   */
  killHard(): Promise<void>;
  /** Settles once all processes that share its outputs have ended. */
  readonly exited: Promise<Exit>;
}

export interface UserOptions {
  readonly kind: 'as-a-user';
  /** PORT is 0 unless it is set here. */
  readonly env?: Env;
  /** Kept when the product stops; by default a new folder that is removed. */
  readonly dataDir?: string;
  /** The launcher by default. */
  readonly command?: Command;
}
