import type { ChosenSource } from '../../audio/chosen-source.ts';
import type { SplitRequest } from '../../audio/cut.ts';
import type { Peaks } from '../../audio/peaks.ts';
import type { Plan } from '../../audio/plan.ts';
import { describePlan } from '../../audio/plan-words.ts';
import { formatBytes, formatClock, formatSpan, plural } from '../../format/format.ts';
import { Waveform } from '../../parts/audio/waveform.tsx';

interface PlanViewProps {
  readonly source: ChosenSource | undefined;
  readonly look: {
    readonly seconds: number | undefined;
    readonly peaks: Peaks | undefined;
    readonly isOver: boolean;
  };
  /** Undefined if a field is wrong or missing. */
  readonly request: SplitRequest | undefined;
  readonly plan: Plan | undefined;
}

/** Shows the expected cuts and figures. */
export function PlanView(props: PlanViewProps) {
  const { source, look, request, plan } = props;
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
          pieces={plan?.pieces ?? []}
          label={labelOf(plan, request?.cut.ranges !== undefined)}
        />
      </div>
      <dl class="figures" aria-live="polite">
        <Figure
          name="Segments"
          value={plan === undefined ? '–' : about(plan.isCountExact, plan.count.toLocaleString('en'))}
        />
        <Figure
          name="Each"
          value={
            plan === undefined
              ? atMost(request?.cut.maxDuration, formatSpan)
              : `${plan.isEven ? '' : '≤ '}${about(plan.isExact, formatSpan(plan.segmentSeconds))}`
          }
          note={plan === undefined ? '' : noteOnShortest(plan)}
        />
        <Figure
          name="Size of each"
          value={
            plan?.segmentBytes === undefined
              ? atMost(request?.cut.maxFileSize, formatBytes)
              : `${plan.isCeiling || !plan.isEven ? '≤' : '≈'} ${formatBytes(plan.segmentBytes)}`
          }
        />
        <Figure name="Recording" value={seconds === undefined ? '–' : formatClock(seconds)} />
      </dl>
      <p class="hint plan-note">{noteOf(props)}</p>
    </section>
  );
}

function about(isExact: boolean, text: string): string {
  return isExact ? text : `≈ ${text}`;
}

function atMost(limit: number | undefined, format: (value: number) => string): string {
  return limit === undefined ? '–' : `≤ ${format(limit)}`;
}

function noteOnShortest({ count, shortestSeconds, isEven, isExact }: Plan): string {
  if (count === 1) return '';
  return `the ${isEven ? 'last' : 'shortest'} ${about(isExact, formatSpan(shortestSeconds))}`;
}

function labelOf(plan: Plan | undefined, isOfRanges: boolean): string {
  if (plan === undefined) return 'The recording';
  const what = isOfRanges ? plural(plan.count, 'segment') : plural(plan.count - 1, 'cut');
  return `The recording with ${what}`;
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

function noteOf({ source, look, request, plan }: PlanViewProps): string {
  if (source === undefined) return 'Choose a recording to see the cuts.';
  if (source.kind === 'url') return 'The length of a linked file is known once the job has begun to read it.';
  if (look.seconds === undefined) {
    return look.isOver
      ? 'This browser cannot read the format, so the figures come with the job. The service can.'
      : 'Reading the file …';
  }
  if (request === undefined) return 'The cuts show once every field is filled in and right.';
  return describePlan(request, look.seconds, plan);
}
