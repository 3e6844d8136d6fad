/** The conditions that must hold after every step for jobs on which several splitters work. */
import type { PartState, Tables } from '../database/watched-tables.ts';
import { requireInvariant } from './invariant.ts';

const MAX_ATTEMPTS = 3;
const MAX_ON_OFFER = 5;

export function createPartsChecker() {
  let before: ReadonlyMap<string, PartState> = new Map();
  return {
    /** Throws InvariantError. */
    check({ jobs, divisions, parts }: Tables) {
      const partsOf = Map.groupBy(parts.values(), ({ jobId }) => jobId);
      for (const job of jobs.values()) {
        const isInParts = job.isDivided && job.status === 'processing';
        requireInvariant(
          'parts are there while their job is done in parts',
          divisions.has(job.id) === isInParts && partsOf.has(job.id) === isInParts,
          () => `${job.id} ${job.status}, ${partsOf.get(job.id)?.length} parts`,
        );
      }
      for (const { jobId, segmentCount } of divisions.values()) {
        let next = 0;
        for (const part of (partsOf.get(jobId) ?? []).toSorted((one, other) => one.index - other.index)) {
          requireInvariant('parts make a whole', part.firstSegment === next, () => `${jobId}/${part.index}`);
          next += part.segmentCount;
        }
        requireInvariant(
          'parts make a whole',
          next === segmentCount,
          () => `${jobId}: ${next} of ${segmentCount}`,
        );
      }
      for (const [key, part] of parts) checkPart(key, part, before.get(key));
      for (const [accountId, own] of Map.groupBy(parts.values(), (part) => part.accountId)) {
        const onOffer = own.filter(({ isOnOffer }) => isOnOffer).length;
        requireInvariant('few parts are on offer', onOffer <= MAX_ON_OFFER, () => `${accountId}: ${onOffer}`);
      }
      before = new Map(parts);
    },
  };
}

function checkPart(key: string, part: PartState, known: PartState | undefined): void {
  requireInvariant('no part has more than its attempts', part.attempts <= MAX_ATTEMPTS, key);
  if (known === undefined) return;
  requireInvariant(
    'each attempt at a part has a fence of its own',
    part.attempts > known.attempts ? part.fence > known.fence : part.fence >= known.fence,
    key,
  );
  requireInvariant('a part that is done stays done', part.isDone || !known.isDone, key);
}
