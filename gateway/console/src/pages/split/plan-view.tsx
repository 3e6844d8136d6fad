import type { Peaks } from '../../audio/peaks.ts';
import { MAX_SEGMENTS, type Plan } from '../../audio/plan.ts';
import { formatBytes, formatClock, formatSpan, plural } from '../../format/format.ts';
import { Waveform } from '../../parts/audio/waveform.tsx';
import type { ChosenSource } from './drop-zone.tsx';

interface PlanViewProps {
  readonly source: ChosenSource | undefined;
  readonly look: {
    readonly seconds: number | undefined;
    readonly peaks: Peaks | undefined;
    readonly isOver: boolean;
  };
  readonly plan: Plan | undefined;
}

/** Shows the expected cuts and figures. */
export function PlanView({ source, look, plan }: PlanViewProps) {
  const { seconds, peaks, isOver } = look;
  return (
    <section class="card plan" aria-label="Plan">
      <div
        class={
          peaks === undefined && source?.kind === 'file' && !isOver ? 'plan-wave plan-reading' : 'plan-wave'
        }
      >
        <Waveform
          peaks={peaks}
          seconds={seconds ?? 1}
          borders={plan?.borders ?? []}
          label={plan === undefined ? 'The recording' : `The recording with ${plural(plan.count - 1, 'cut')}`}
        />
      </div>
      <dl class="figures" aria-live="polite">
        <Figure
          name="Segments"
          value={plan === undefined ? '–' : about(plan, plan.count.toLocaleString('en'))}
        />
        <Figure
          name="Each"
          value={plan === undefined ? '–' : about(plan, formatSpan(plan.segmentSeconds))}
          note={
            plan === undefined || plan.count === 1
              ? ''
              : `the last ${about(plan, formatSpan(plan.lastSeconds))}`
          }
        />
        <Figure
          name="Size of each"
          value={
            plan?.segmentBytes === undefined
              ? '–'
              : `${plan.isExact ? '≈' : '≤'} ${formatBytes(plan.segmentBytes)}`
          }
        />
        <Figure name="Recording" value={seconds === undefined ? '–' : formatClock(seconds)} />
      </dl>
      <p class="hint plan-note">{noteOf(source, look, plan)}</p>
    </section>
  );
}

function about({ isExact }: Plan, text: string): string {
  return isExact ? text : `≈ ${text}`;
}

function Figure({
  name,
  value,
  note = '',
}: {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        <small>{note}</small>
      </dd>
    </div>
  );
}

function noteOf(
  source: PlanViewProps['source'],
  { seconds, isOver }: PlanViewProps['look'],
  plan: Plan | undefined,
): string {
  if (source === undefined) return 'Choose a recording to see the cuts.';
  if (source.kind === 'url') return 'The length of a linked file is known once the job has begun to read it.';
  if (plan !== undefined && plan.count > MAX_SEGMENTS) {
    return `More than ${MAX_SEGMENTS.toLocaleString('en')} segments of one file are refused: choose longer ones.`;
  }
  if (seconds === undefined) {
    return isOver
      ? 'This browser cannot read the format, so the figures come with the job. The service can.'
      : 'Reading the file …';
  }
  return 'Worked out on this machine. Nothing has been sent yet.';
}
