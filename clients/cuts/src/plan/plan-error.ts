export type PlanFailure =
  | 'SEGMENT_LIMIT_UNREACHABLE'
  | 'TOO_MANY_SEGMENTS'
  | 'RANGE_OUTSIDE_SOURCE'
  | 'NO_CHAPTERS';

/** The source cannot be split as requested: the code of the failed job, and its message. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
  readonly failure: PlanFailure;
  constructor(failure: PlanFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

export function segmentLimitUnreachable(content: string): PlanError {
  const message = `The maximum file size is too small to hold ${content}.`;
  return new PlanError('SEGMENT_LIMIT_UNREACHABLE', message);
}

export function rangeOutsideSource(field: string, totalSeconds: number): PlanError {
  const message = `${field} lies at or beyond the end of the source, which lasts ${totalSeconds.toFixed(3)} s.`;
  return new PlanError('RANGE_OUTSIDE_SOURCE', message);
}
