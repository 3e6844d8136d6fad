import type { Process } from '@audiosplit/proto/callers';

export interface ActingAccount {
  readonly accountId: string;
  readonly scopes: readonly string[];
}

export interface Identity {
  readonly process: Process;
  /** The account on whose behalf the process acts; absent if it acts in its own name. */
  readonly account?: ActingAccount | undefined;
}
