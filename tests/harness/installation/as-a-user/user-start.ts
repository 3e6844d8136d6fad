import type { Env } from '@audiosplit/chassis/process/env';
import type { Command } from './command.ts';
import type { StartedProduct, UserOptions } from './product.ts';

export type StartOptions = Omit<UserOptions, 'kind'>;

/** A way to start the product that a user has. */
export interface UserStart {
  /** Without npm around it, which adds lines of its own to a failure. */
  readonly launcher: Command;
  readonly npm: Command;
  /** For a product that many scenarios share. */
  readonly sharedEnv: Env;
  start(options: StartOptions): Promise<StartedProduct>;
  /** Ends what is counted against the callers so far; resolves with headers for the requests of the next. */
  forgetCounts(): Promise<Readonly<Record<string, string>>>;
}
