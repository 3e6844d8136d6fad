import type { Process } from '@audiosplit/proto/callers';

export interface ActingAccount {
  readonly accountId: string;
  readonly scopes: readonly string[];
}

export interface Identity {
  readonly process: Process;
  /** The account that it acts for; absent where it acts in its own name. */
  readonly account?: ActingAccount | undefined;
}
