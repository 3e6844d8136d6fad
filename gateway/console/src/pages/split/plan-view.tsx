import type { ChosenSource } from '../../audio/chosen-source.ts';
import type { SplitRequest } from '../../audio/cut.ts';
import { editablePlan, isFoundInSound } from '../../audio/editable-plan.ts';
import { textOfPlan } from '../../audio/edited-plan.ts';
import type { Plan, Preview } from '../../audio/plan.ts';
import { describePlan } from '../../audio/plan-words.ts';
import { type SplitFields, textOf } from '../../audio/split-fields.ts';
import { formatBytes, formatClock, formatSpan, plural } from '../../format/format.ts';
import { Waveform } from '../../parts/audio/waveform.tsx';
import { Icon } from '../../parts/icons.tsx';
import type { Look } from '../../state/split-drafts.ts';
import { EditedPlanView } from './edited-plan-view.tsx';

interface PlanViewProps {
  readonly source: ChosenSource | undefined;
  readonly look: Look;
  readonly text: SplitFields;
  /** Undefined if a field is wrong or missing. */
  readonly request: SplitRequest | undefined;
  /** Of the request. */
  readonly preview: Preview | undefined;
  readonly isDisabled: boolean;
  readonly onChange: (text: SplitFields) => void;
  /** Finds the cuts without making files. */
  readonly onTry: () => void;
}

/** Shows the expected cuts and figures. */
export function PlanView(props: PlanViewProps) {
  const { source, look, text, request, preview, isDisabled, onChange, onTry } = props;
  const plan = preview?.plan;
  const { seconds, peaks, isOver } = look;
  const isEdited = text.mode === 'ranges' && seconds !== undefined;
  const edit = (ranges: string) => onChange({ ...text, mode: 'ranges', texts: { ...text.texts, ranges } });
  const editable = seconds !== undefined && !isEdited && plan && editablePlan(plan);
  return (
    <section class="card plan" aria-label="Plan">
      <div
        class={
          peaks === undefined && source?.kind === 'file' && !isOver ? 'plan-wave plan-reading' : 'plan-wave'
        }
      >
        {isEdited ? (
          <EditedPlanView
            peaks={peaks}
            dryRunId={look.dryRunId}
            seconds={seconds}
            text={textOf(text)}
            isDisabled={isDisabled}
            onChange={edit}
          />
        ) : (
          <Waveform
            peaks={peaks}
            seconds={seconds ?? 1}
            pieces={plan?.pieces ?? []}
            label={labelOf(plan, request?.cut.ranges !== undefined)}
          />
        )}
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
      <div class="plan-note">
        <p class="hint">{noteOf(props)}</p>
        {editable && (
          <button
            type="button"
            class="button"
            aria-disabled={isDisabled}
            onClick={() => !isDisabled && edit(textOfPlan(editable, seconds))}
          >
            <Icon name="pencil" size={16} /> Edit the cuts
          </button>
        )}
        {source !== undefined && request !== undefined && isFoundByDryRun(source, look, request) && (
          <button type="button" class="button" aria-disabled={isDisabled} onClick={onTry}>
            <Icon name="wave" size={16} /> Find the cuts first
          </button>
        )}
      </div>
    </section>
  );
}

/** Of a link nothing is known before it is read. */
function isFoundByDryRun(source: ChosenSource, look: Look, { cut }: SplitRequest): boolean {
  return isFoundInSound(cut) || (source.kind === 'url' && look.seconds === undefined && cut.dryRun !== true);
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

function noteOf({ source, look, request, preview }: PlanViewProps): string {
  if (source === undefined) return 'Choose a recording to see the cuts.';
  if (source.kind === 'url' && look.seconds === undefined)
    return 'The length of a linked file is known once it is read. Find the cuts first to see and edit them.';
  if (look.seconds === undefined) {
    return look.isOver
      ? 'This browser cannot read the format, but the service can: the figures come with the job.'
      : 'Reading the file …';
  }
  if (request === undefined || preview === undefined) return 'The cuts appear once every field is valid.';
  if (look.dryRunId !== undefined && preview.plan !== undefined) {
    return 'These are the cuts that the dry run found, until you change them.';
  }
  return describePlan(request, look.seconds, preview);
}
