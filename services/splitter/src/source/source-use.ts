import type { SourceUse as ProtoSourceUse } from '@audiosplit/proto/jobs/v1/jobs';

/**
 * The use of a job's fetch limits by all its attempts. It is updated during the fetch, so it is correct even
 * after a failure.
 */
export interface SourceUse {
  fetchMs: number;
  resumes: number;
}

export function noSourceUse(): SourceUse {
  return { fetchMs: 0, resumes: 0 };
}

/** Zero if the jobs service does not report it, as earlier versions do not. */
export function fromProtoUse(use: ProtoSourceUse | undefined): SourceUse {
  return { fetchMs: Number(use?.fetchMs ?? 0n), resumes: use?.resumes ?? 0 };
}

/** In the form of requests to the jobs service. */
export function toProtoUse(use: SourceUse | undefined) {
  if (use === undefined) return {};
  return { sourceUse: { fetchMs: BigInt(Math.round(use.fetchMs)), resumes: use.resumes } };
}
