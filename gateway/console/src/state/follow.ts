/** A job's progress as it happens. A stream that ends before the job does is opened again. */
import { useEffect, useState } from 'preact/hooks';
import { api, type Fetching } from '../api/client.ts';

export interface Progress {
  readonly status: 'queued' | 'processing' | 'completed' | 'failed';
  readonly percent: number;
  readonly fetching: Fetching | undefined;
}

const AGAIN_AFTER_MS = 2_000;

export function useFollow(jobId: string, isFollowed: boolean, onEnd: () => void): Progress | undefined {
  const [progress, setProgress] = useState<Progress>();
  useEffect(() => {
    if (!isFollowed) return;
    let stop = () => {};
    let timer: number | undefined;
    let lastEventId: string | undefined;
    let isOver = false;
    const again = () => {
      if (isOver) return;
      timer = window.setTimeout(open, AGAIN_AFTER_MS);
    };
    const open = () => {
      const input = lastEventId === undefined ? { jobId } : { jobId, lastEventId };
      const subscription = api.jobs.follow.subscribe(input, {
        onData({ id, data }) {
          lastEventId = id;
          const fetching = 'fetching' in data ? data.fetching : undefined;
          setProgress({ status: data.status, percent: data.progress, fetching });
          if (!data.isOver) return;
          isOver = true;
          onEnd();
        },
        onComplete: again,
        onError: again,
      });
      stop = () => subscription.unsubscribe();
    };
    open();
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [jobId, isFollowed]);
  return progress;
}
