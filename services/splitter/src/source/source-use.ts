import type { SourceUse as ProtoSourceUse } from '@audiosplit/proto/jobs/v1/jobs';

/**
 * What all attempts at a job together have used of the limits on fetching its source. The fetch adds to it as it goes, so
 * that it is also right after a failure.
 */
export interface SourceUse {
  fetchMs: number;
  resumes: number;
}

export function noSourceUse(): SourceUse {
  return { fetchMs: 0, resumes: 0 };
}

/** Zero where the jobs service reports no use, as an earlier version of it does. */
export function fromProtoUse(use: ProtoSourceUse | undefined): SourceUse {
  return { fetchMs: Number(use?.fetchMs ?? 0n), resumes: use?.resumes ?? 0 };
}

/** As requests to the jobs service carry it. */
export function toProtoUse(use: SourceUse | undefined) {
  if (use === undefined) return {};
  return { sourceUse: { fetchMs: BigInt(Math.round(use.fetchMs)), resumes: use.resumes } };
}
