/** A job's place in its account's jobs by creation. The time is text, as a Date would cut its microseconds. */
export interface JobPosition {
  readonly createdAt: string;
  readonly id: string;
}
