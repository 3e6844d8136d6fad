/** Of one kind of check. */
export interface Outcome {
  /** A table. */
  readonly table: string;
  /** One line each. Empty: all is well. */
  readonly faults: readonly string[];
}
