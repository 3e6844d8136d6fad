/** Where a source is cut, as plain data that can be passed to a thread. */
import { type CutRequest, isPlainCut } from '@audiosplit/cuts/cut-request';

export { MAX_SEGMENTS, MIN_REMAINDER_SECONDS } from '@audiosplit/cuts/plan/segment-limits';

/** Cuts that are made while the source arrives, without a look ahead. */
export type Cut =
  | { readonly mode: 'duration'; readonly segmentDurationSeconds: number }
  | { readonly mode: 'fileSize'; readonly maxFileSizeBytes: number };

/** A request that is planned on the whole source before anything is cut (`planned/`). */
export interface PlannedCut {
  readonly mode: 'planned';
  readonly request: CutRequest;
}

export function fromCutRequest(request: CutRequest): Cut | PlannedCut {
  if (isPlainCut(request)) {
    if (request.splitMode === 'duration')
      return { mode: 'duration', segmentDurationSeconds: request.segmentDuration };
    if (request.splitMode === 'fileSize') return { mode: 'fileSize', maxFileSizeBytes: request.maxFileSize };
  }
  return { mode: 'planned', request };
}

/** The cut that a dry run stands for, if it is a plain one. */
export function plainCutOfDryRun({ dryRun, ...request }: CutRequest): Cut | undefined {
  const cut = fromCutRequest(request as CutRequest);
  return dryRun !== true || cut.mode === 'planned' ? undefined : cut;
}
