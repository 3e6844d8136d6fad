/** Streams a job's progress. A stream that ends before the job is reopened, and the job is read again. */
import type { JobStatus } from '@audiosplit/proto/vocabulary';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, type Fetching, type Job } from '../api/client.ts';

export interface Progress {
  readonly status: JobStatus;
  readonly percent: number;
}

interface Following {
  readonly progress: Progress | undefined;
  /** Progress of the download, from the newest event or a later read of `job`. */
  readonly fetching: Fetching | undefined;
  /** The server is not reachable at the moment. */
  readonly isLost: boolean;
}

const AGAIN_AFTER_MS = 2_000;
const AGAIN_AFTER_AT_MOST_MS = 30_000;
/** Time for another request to succeed before the connection counts as lost. */
const ANSWER_WITHIN_MS = 1_000;

export function hasEnded({ status }: Job): boolean {
  return status === 'completed' || status === 'failed';
}

/** `look` reloads `job`. */
export function useFollow(jobId: string, job: Job | undefined, look: () => void): Following {
  const [progress, setProgress] = useState<Progress>();
  const [event, setEvent] = useState<{ readonly after: Job | undefined; readonly fetching?: Fetching }>();
  const [isLost, setLost] = useState(false);
  const latest = useRef(job);
  latest.current = job;
  const trouble = useRef<number | undefined>(undefined);
  const isFollowed = job !== undefined && !hasEnded(job);

  const endTrouble = () => {
    clearTimeout(trouble.current);
    trouble.current = undefined;
    setLost(false);
  };
  const beginTrouble = () => {
    if (trouble.current !== undefined) return;
    trouble.current = window.setTimeout(() => setLost(true), ANSWER_WITHIN_MS);
    look();
  };

  // Each response is a new object.
  useEffect(endTrouble, [job]);

  useEffect(() => {
    if (!isFollowed) return;
    let stop = () => {};
    let timer: number | undefined;
    let lastEventId: string | undefined;
    let againAfterMs = AGAIN_AFTER_MS;
    let isOver = false;
    let wasFetching: boolean | undefined;
    const again = () => {
      if (isOver) return;
      timer = window.setTimeout(open, againAfterMs);
      againAfterMs = Math.min(2 * againAfterMs, AGAIN_AFTER_AT_MOST_MS);
    };
    const open = () => {
      const input = lastEventId === undefined ? { jobId } : { jobId, lastEventId };
      const subscription = api.jobs.follow.subscribe(input, {
        onConnectionStateChange({ state, error }) {
          if (state === 'connecting' && error !== null) beginTrouble();
          if (state !== 'pending') return;
          againAfterMs = AGAIN_AFTER_MS;
          // Only a new response clears an earlier error.
          if (trouble.current !== undefined) look();
          endTrouble();
        },
        onData({ id, data }) {
          lastEventId = id;
          setProgress({ status: data.status, percent: data.progress });
          setEvent({ after: latest.current, ...('fetching' in data ? { fetching: data.fetching } : {}) });
          isOver = data.isOver;
          const isFetching = 'fetching' in data;
          // An answer on its way may be of the phase before, and would be taken for newer than this event.
          if (isOver || isFetching !== wasFetching) look();
          wasFetching = isFetching;
        },
        onComplete: again,
        onError() {
          beginTrouble();
          again();
        },
      });
      stop = () => subscription.unsubscribe();
    };
    open();
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
      endTrouble();
    };
  }, [jobId, isFollowed]);
  const read = job?.status === 'processing' ? job.fetching : undefined;
  const fetching = event?.after === job ? event?.fetching : read;
  return { progress, fetching, isLost };
}
