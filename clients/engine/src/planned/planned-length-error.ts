/** The length that a pass has found is not the one that was planned with. */
export class PlannedLengthError extends Error {
  override readonly name = 'PlannedLengthError';
}
