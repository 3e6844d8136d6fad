import type { Env } from '@audiosplit/chassis/process/env';
import type { Command } from './command.ts';
import type { StartedProduct, UserOptions } from './product.ts';

export type StartOptions = Omit<UserOptions, 'kind'>;

/** A way in which a user starts the product. */
export interface UserStart {
  /** Without npm, which adds its own lines to a failure. */
  readonly launcher: Command;
  readonly npm: Command;
  /** For a product that many scenarios share. */
  readonly sharedEnv: Env;
  start(options: StartOptions): Promise<StartedProduct>;
  /** Resets the counters of callers; resolves with the headers that further requests need. */
  forgetCounts(): Promise<Readonly<Record<string, string>>>;
}
