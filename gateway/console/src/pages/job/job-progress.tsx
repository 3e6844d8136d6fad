import type { Fetching, Job } from '../../api/client.ts';
import { keptPeaks } from '../../audio/peaks.ts';
import { planSplit } from '../../audio/plan.ts';
import { formatBytes } from '../../format/format.ts';
import { Waveform } from '../../parts/audio/waveform.tsx';
import { useSpeed } from '../../parts/use-speed.ts';

interface JobProgressProps {
  readonly job: Job;
  readonly percent: number;
  readonly status: string;
  readonly fetching: Fetching | undefined;
}

/** As the splitter reports it when all is cut and the last segments are being stored. */
const ALL_CUT_PERCENT = 99;

/** As high as the result that replaces it. */
export function JobProgress({ job, percent, status, fetching }: JobProgressProps) {
  const peaks = keptPeaks(job.id);
  const source = { seconds: peaks?.seconds, bytes: undefined, name: '' };
  const { plan } = planSplit(source, { cut: job, format: undefined });
  const bytesPerSecond = useSpeed(fetching?.fetchedBytes);
  const words = status === 'queued' ? waitingWords(job) : wordsOf(percent, fetching, bytesPerSecond);
  return (
    <section class="card result-wave" aria-label="Progress">
      <Waveform
        peaks={peaks}
        seconds={source.seconds ?? 1}
        pieces={plan?.pieces ?? []}
        progress={percent / 100}
        label="The recording"
      />
      <div class="progress-line">
        <p class="hint number">{words}</p>
        <div
          class="progress"
          role="progressbar"
          aria-label="Progress of the job"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
          aria-valuetext={words}
        >
          <span style={{ transform: `scaleX(${percent / 100})` }} />
        </div>
      </div>
    </section>
  );
}

function waitingWords({ queuePosition: position }: Job): string {
  if (position === undefined) return 'Waiting for its turn …';
  return position === 1
    ? 'Waiting for its turn, the next in line …'
    : `Waiting for its turn, ${position - 1} ahead …`;
}

function wordsOf(
  percent: number,
  fetching: Fetching | undefined,
  bytesPerSecond: number | undefined,
): string {
  if (percent >= ALL_CUT_PERCENT) return 'Storing the segments …';
  if (fetching === undefined) return `Cutting … ${percent} %`;
  const { fetchedBytes, totalBytes } = fetching;
  const speed = bytesPerSecond === undefined ? '' : `, ${formatBytes(bytesPerSecond)}/s`;
  if (totalBytes !== undefined)
    return `Fetching … ${formatBytes(fetchedBytes)} of ${formatBytes(totalBytes)}${speed}`;
  return fetchedBytes === 0 ? 'Fetching …' : `Fetching … ${formatBytes(fetchedBytes)}${speed}`;
}
