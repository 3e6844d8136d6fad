/**
 * What clients were promised and what they have requested: the invariants check the installation against it.
 */
export type Ledger = ReturnType<typeof createLedger>;

export function createLedger() {
  return {
    /** Jobs whose creation was answered with success. */
    accepted: new Set<string>(),
    /** Jobs whose removal was requested; the response does not matter. */
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

/** Whether the job's account has been purged, so that nothing of the job has to exist. */
export function isPurged({ accountOf, purged }: Ledger, jobId: string): boolean {
  return purged.has(accountOf.get(jobId) ?? '');
}
