/**
 * A job's position among its account's jobs by creation. The time is text because a Date would lose its
 * microseconds.
 */
export interface JobPosition {
  readonly createdAt: string;
  readonly id: string;
}
