/** A job's place among those of its account by creation; the time with all its digits, of which a Date keeps but three. */
export interface JobPosition {
  readonly createdAt: string;
  readonly id: string;
}
