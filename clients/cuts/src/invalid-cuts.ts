/** A fault in a request's field, in the form of the API's `error.details`. */
export interface FieldViolation {
  /** Its path, such as `ranges[1].end`. */
  readonly field: string;
  readonly message: string;
}

/** A request that the API would refuse with INVALID_PARAMS. */
export class InvalidCutsError extends Error {
  override readonly name = 'InvalidCutsError';
  readonly code = 'INVALID_PARAMS';
  readonly details: readonly FieldViolation[];
  constructor(details: readonly FieldViolation[]) {
    super(details.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.details = details;
  }
}
