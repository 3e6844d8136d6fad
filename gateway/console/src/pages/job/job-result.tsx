import { useEffect, useMemo } from 'preact/hooks';
import type { CompletedJob } from '../../api/client.ts';
import { keptPeaks } from '../../audio/peaks.ts';
import { pause, play, playing, position, whenEnded } from '../../audio/player.ts';
import { describeLoudness } from '../../audio/segment-words.ts';
import { plural } from '../../format/format.ts';
import { Waveform } from '../../parts/audio/waveform.tsx';
import { Link } from '../../parts/link.tsx';
import { Empty } from '../../parts/notices.tsx';
import { useStore } from '../../state/store.ts';
import { SegmentList } from './segment-list.tsx';

export function JobResult({ job }: { readonly job: CompletedJob }) {
  const { segments } = job;
  const now = useStore(playing);
  const at = useStore(position);
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
  const isTrial = job.dryRun === true;

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
        They are kept for a time that your plan sets, and this one has passed.
      </Empty>
    );
  }
  const pick = (second: number) => {
    const index = pieces.findLastIndex(({ start, end }) => start <= second && second <= end);
    const chosen = segments[index];
    if (chosen !== undefined) play(job.id, chosen);
  };
  return (
    <>
      <section class="card result-wave" aria-label="Waveform">
        <Waveform
          peaks={peaks}
          seconds={seconds}
          pieces={pieces}
          label={`${job.sourceName} in ${plural(segments.length, 'segment')}`}
          active={current?.segment.index}
          playhead={current === undefined ? undefined : current.segment.startTime + at}
          onPick={isTrial ? undefined : pick}
        />
        <p class="hint">
          {isTrial
            ? 'This was a trial: no files were made, and it cost no minutes.'
            : 'Press the waveform to hear a segment.'}
          {job.loudness !== undefined && ` ${describeLoudness(job.loudness)}`}
        </p>
      </section>
      <SegmentList jobId={job.id} segments={segments} current={current} />
    </>
  );
}
