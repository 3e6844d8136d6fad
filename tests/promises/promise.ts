/** What the interface and the decisions promise to callers, one by one. */

/**
 * `I-…` for the interface, `D-…` for the decisions where it is silent; then the section, its part where it has parts,
 * and a running number. An id stays what it is once a test names it.
 */
type PromiseId = `I-${string}` | `D-${string}`;

export interface Section {
  readonly title: string;
  /** Each says in one line what a test has to show. */
  readonly promises: Readonly<Record<PromiseId, string>>;
}

/** As they stand in titles, comments and tables of tests. */
export const PROMISE_ID = /\b[ID]-\d+(?:\.\d+)+\b/g;
