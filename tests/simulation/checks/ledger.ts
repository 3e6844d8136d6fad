/** What the outside was promised, and what it has asked for: the invariants hold the installation to it. */
export interface Ledger {
  /** Jobs whose creation was answered with success. */
  readonly accepted: Set<string>;
  /** Jobs whose removal was asked for, with whatever answer. */
  readonly removalAsked: Set<string>;
  /** Source milliseconds of each job that was ever seen completed. */
  readonly completed: Map<string, number>;
  /** The account of each job that was accepted or seen. */
  readonly accountOf: Map<string, string>;
  /** The accounts of charges that were ever seen. */
  readonly chargedTo: Map<string, string>;
  /** Accounts whose purge has been announced. */
  readonly purged: Set<string>;
}

export function createLedger(): Ledger {
  return {
    accepted: new Set(),
    removalAsked: new Set(),
    completed: new Map(),
    accountOf: new Map(),
    chargedTo: new Map(),
    purged: new Set(),
  };
}

/** Whether nothing of this job needs to be there any more. */
export function isPurged({ accountOf, purged }: Ledger, jobId: string): boolean {
  return purged.has(accountOf.get(jobId) ?? '');
}
