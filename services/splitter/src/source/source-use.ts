import type { SourceUse as ProtoSourceUse } from '@audiosplit/proto/jobs/v1/jobs';

/**
 * What a job has used of the patience with its source, all attempts together. Who fetches adds to it on the way, so that
 * it is true after a failure too.
 */
export interface SourceUse {
  fetchMs: number;
  resumes: number;
}

export function noSourceUse(): SourceUse {
  return { fetchMs: 0, resumes: 0 };
}

/** Of a job that nothing is reported of, as by a jobs service of an earlier version, nothing is used. */
export function fromProtoUse(use: ProtoSourceUse | undefined): SourceUse {
  return { fetchMs: Number(use?.fetchMs ?? 0n), resumes: use?.resumes ?? 0 };
}

/** As requests to the jobs service carry it. */
export function toProtoUse(use: SourceUse | undefined) {
  if (use === undefined) return {};
  return { sourceUse: { fetchMs: BigInt(Math.round(use.fetchMs)), resumes: use.resumes } };
}
