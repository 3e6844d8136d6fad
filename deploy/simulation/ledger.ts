/** What the outside was promised, and what it has asked for: the invariants hold the installation to it. */
export interface Ledger {
  /** Jobs whose creation was answered with success. */
  readonly accepted: Set<string>;
  /** Jobs whose removal was asked for, with whatever answer. */
  readonly removalAsked: Set<string>;
  /** Source milliseconds of each job that was ever seen completed. */
  readonly completed: Map<string, number>;
}

export function createLedger(): Ledger {
  return { accepted: new Set(), removalAsked: new Set(), completed: new Map() };
}
