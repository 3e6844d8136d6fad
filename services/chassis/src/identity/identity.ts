import type { Process } from '@audiosplit/proto/callers';

export interface ActingAccount {
  readonly accountId: string;
  readonly scopes: readonly string[];
}

export interface Identity {
  readonly process: Process;
  /** For whom it acts, if not for itself. */
  readonly account?: ActingAccount | undefined;
}
