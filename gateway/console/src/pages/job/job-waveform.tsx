/** The sound of a job, to look into and to hear. Loaded by the first page that shows one. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CompletedJob, Failure } from '../../api/client.ts';
import { legendOf, marksOf } from '../../audio/cut-marks.ts';
import { overlapsOf } from '../../audio/overlaps.ts';
import type { Peaks } from '../../audio/peaks.ts';
import type { Piece } from '../../audio/piece.ts';
import { type Playing, pause, play, position } from '../../audio/player.ts';
import { describeLevel } from '../../audio/waveform-peaks.ts';
import { ExploredWaveform } from '../../parts/audio/explored-waveform.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { useJobPeaks } from '../../state/job-peaks.ts';
import { useStore } from '../../state/store.ts';

interface JobWaveformProps {
  readonly job: CompletedJob;
  readonly seconds: number;
  readonly pieces: readonly Piece[];
  readonly label: string;
  /** Of the browser, from before the job began. */
  readonly kept: Peaks | undefined;
  readonly current: Playing | undefined;
}

export function JobWaveform(props: JobWaveformProps) {
  const { id: jobId } = props.job;
  const { peaks, isReading, failure, reload, refine } = useJobPeaks(jobId, props.kept);
  return (
    <>
      <HeardWaveform {...props} peaks={peaks} isReading={isReading} onZoom={refine} />
      {failure !== undefined && peaks === undefined && (
        <Undrawn failure={failure} job={props.job} onRetry={reload} />
      )}
    </>
  );
}

interface UndrawnProps {
  readonly failure: Failure;
  readonly job: CompletedJob;
  readonly onRetry: () => void;
}

function Undrawn({ failure, job, onRetry }: UndrawnProps) {
  if (failure.code !== 'NOT_FOUND') return <FailureNotice failure={failure} onRetry={onRetry} />;
  return <p class="hint">{whyUndrawn(job)}</p>;
}

function whyUndrawn({ dryRun, keepCopy }: CompletedJob): string {
  if (dryRun === true)
    return 'The dry run has not read all of the source. Its levels are drawn once it is split; the cuts are where they would be.';
  if (keepCopy === false)
    return 'Without a copy here there is nothing to draw or to play; the cuts are where they are shown.';
  return 'The levels of these segments cannot be drawn, but you can play them.';
}

interface HeardWaveformProps extends JobWaveformProps {
  readonly peaks: Peaks | undefined;
  readonly isReading?: boolean;
  readonly onZoom?: () => void;
}

const KEYS = 'Keys: arrows move the cursor, + and − zoom';

function HeardWaveform({
  job,
  seconds,
  pieces,
  label,
  current,
  peaks,
  isReading,
  onZoom,
}: HeardWaveformProps) {
  const { segments } = job;
  const canBeHeard = segments[0]?.downloadUrl !== undefined;
  const overlaps = useMemo(
    () => overlapsOf(segments.map(({ startTime, endTime }) => ({ start: startTime, end: endTime }))),
    [segments],
  );
  const marks = useMemo(() => marksOf(segments), [segments]);
  const [cursor, setCursor] = useState(0);
  const at = useStore(position);
  const playhead = current === undefined ? undefined : current.segment.startTime + at;
  useEffect(() => {
    if (playhead !== undefined) setCursor(playhead);
  }, [playhead]);

  const indexAt = (second: number) =>
    pieces.findLastIndex(({ start, end }) => start <= second && second <= end);
  const playFrom = (second: number) => {
    const segment = segments[indexAt(second)];
    if (segment === undefined) pause();
    else play(job.id, segment, second - segment.startTime);
  };
  const isPlaying = current !== undefined && !current.isPaused;
  const index = indexAt(cursor);
  const title = segments[index]?.title;
  const there =
    index < 0 ? 'in no segment' : `segment ${index + 1}${title === undefined ? '' : `, ${title}`}`;
  return (
    <ExploredWaveform
      peaks={peaks}
      seconds={seconds}
      pieces={pieces}
      overlaps={overlaps}
      marks={marks}
      label={label}
      active={current?.segment.index}
      cursor={cursor}
      there={there}
      thereInWords={peaks === undefined ? there : `${there}, ${describeLevel(peaks, cursor)}`}
      hint={
        isReading === true
          ? 'Drawing the waveform …'
          : [
              canBeHeard ? 'Press to play from there, drag to zoom in.' : 'Drag to zoom in.',
              canBeHeard ? `${KEYS}, Space plays.` : `${KEYS}.`,
              legendOf(marks),
            ].join(' ')
      }
      isReading={isReading === true}
      onMove={(second) => {
        setCursor(second);
        if (isPlaying) playFrom(second);
      }}
      onPress={(second) => {
        setCursor(second);
        playFrom(second);
      }}
      keys={{ ' ': () => (isPlaying ? pause() : playFrom(cursor)) }}
      {...(onZoom === undefined ? {} : { onZoom })}
    />
  );
}
