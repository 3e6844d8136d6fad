/** The peaks of a job, drawn by the service when they are first looked at; finer once somebody zooms. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { api, type Failure } from '../api/client.ts';
import type { Peaks } from '../audio/peaks.ts';
import { toPeaks } from '../audio/waveform-peaks.ts';
import { useQuery } from './query.ts';

const POINTS = 2_000;
const FINE_POINTS = 20_000;
const AGAIN_AFTER_MS = 2_000;

interface JobPeaks {
  /** Those that are kept until the service's are there. */
  readonly peaks: Peaks | undefined;
  readonly isReading: boolean;
  readonly failure: Failure | undefined;
  readonly reload: () => void;
  readonly refine: () => void;
}

export function useJobPeaks(jobId: string, kept: Peaks | undefined): JobPeaks {
  const [points, setPoints] = useState(POINTS);
  const { data, failure, reload } = useQuery(
    `waveform ${jobId} ${points}`,
    () => api.jobs.waveform.query({ jobId, points }),
    { againAfterMs: (answer) => (answer === null ? AGAIN_AFTER_MS : undefined) },
  );
  const latest = useRef(kept);
  const drawn = useMemo(() => (data === undefined || data === null ? undefined : toPeaks(data)), [data]);
  if (drawn !== undefined) latest.current = drawn;
  return {
    peaks: latest.current,
    isReading: latest.current === undefined && failure === undefined,
    failure,
    reload,
    refine: () => setPoints(FINE_POINTS),
  };
}
