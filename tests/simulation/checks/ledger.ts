/** What the outside was promised, and what it has asked for: the invariants hold the installation to it. */
export type Ledger = ReturnType<typeof createLedger>;

export function createLedger() {
  return {
    /** Jobs whose creation was answered with success. */
    accepted: new Set<string>(),
    /** Jobs whose removal was asked for, with whatever answer. */
    removalAsked: new Set<string>(),
    /** Source milliseconds of each job that was ever seen completed. */
    completed: new Map<string, number>(),
    /** The account of each job that was accepted or seen. */
    accountOf: new Map<string, string>(),
    /** The accounts of charges that were ever seen. */
    chargedTo: new Map<string, string>(),
    /** Accounts whose purge has been announced. */
    purged: new Set<string>(),
  };
}

/** Whether nothing of this job needs to be there any more. */
export function isPurged({ accountOf, purged }: Ledger, jobId: string): boolean {
  return purged.has(accountOf.get(jobId) ?? '');
}
