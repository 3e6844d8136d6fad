/** A pass has found another length than the one used for the plan. */
export class PlannedLengthError extends Error {
  override readonly name = 'PlannedLengthError';
}
