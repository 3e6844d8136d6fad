import { useEffect, useMemo } from 'preact/hooks';
import type { CompletedJob } from '../../api/client.ts';
import { keptPeaks } from '../../audio/peaks.ts';
import { pause, play, playing, whenEnded } from '../../audio/player.ts';
import { describeLoudness } from '../../audio/segment-words.ts';
import { plural } from '../../format/format.ts';
import { Waveform } from '../../parts/audio/waveform.tsx';
import { Link } from '../../parts/link.tsx';
import { Empty, FailureNotice } from '../../parts/notices.tsx';
import { useQuery } from '../../state/query.ts';
import { useStore } from '../../state/store.ts';
import { BucketFolder } from './bucket-folder.tsx';
import { SegmentList } from './segment-list.tsx';

export function JobResult({ job }: { readonly job: CompletedJob }) {
  const { segments } = job;
  const now = useStore(playing);
  const current = now?.jobId === job.id ? now : undefined;
  const peaks = useMemo(() => keptPeaks(job.id), [job.id]);
  const last = segments.at(-1);
  const seconds = job.sourceSeconds ?? (last === undefined ? 1 : last.endTime);
  const pieces = useMemo(
    () =>
      segments.map(({ startTime, contentStart, endTime }) => ({
        start: contentStart ?? startTime,
        end: endTime,
      })),
    [segments],
  );
  const isDryRun = job.dryRun === true;
  const label = `${job.sourceName} in ${plural(segments.length, 'segment')}`;
  const {
    data: part,
    failure,
    reload,
  } = useQuery('code of the waveform', () => import('./job-waveform.tsx'));

  useEffect(() => {
    whenEnded(() => {
      const index = playing.get()?.segment.index;
      const following = index === undefined ? undefined : segments[index + 1];
      if (following === undefined) pause();
      else play(job.id, following);
    });
    return () => whenEnded(undefined);
  }, [job.id, segments]);

  if (segments.length === 0) {
    return (
      <Empty
        title="The segments are gone"
        action={
          <Link class="button button-primary" to="/">
            Split the file again
          </Link>
        }
      >
        Your plan sets how long they are kept, and that time is over.
        {job.destination !== undefined && ' The segments in the bucket are not affected.'}
      </Empty>
    );
  }
  return (
    <>
      <section class="card result-wave" aria-label="Waveform">
        {part === undefined ? (
          <>
            <Waveform peaks={peaks} seconds={seconds} pieces={pieces} label={label} />
            {failure === undefined ? (
              <div class="explored-tools" />
            ) : (
              <FailureNotice failure={failure} onRetry={reload} />
            )}
          </>
        ) : (
          <part.JobWaveform
            job={job}
            seconds={seconds}
            pieces={pieces}
            label={label}
            kept={peaks}
            current={current}
          />
        )}
        {isDryRun && <p class="hint">This was a dry run: it created no files and used no minutes.</p>}
        <BucketFolder job={job} />
        {job.loudness !== undefined && <p class="hint">{describeLoudness(job.loudness)}</p>}
      </section>
      <SegmentList jobId={job.id} segments={segments} current={current} />
    </>
  );
}
