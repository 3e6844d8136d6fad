/** The plan of a split, edited by hand: cuts on the waveform, pieces below it. Loaded when somebody edits one. */
import { useRef, useState } from 'preact/hooks';
import {
  addCut,
  cutsOf,
  type EditedPlan,
  moveCut,
  piecesOfPlan,
  planOf,
  removeCut,
  setKept,
  setTitle,
  textOfPlan,
} from '../../audio/edited-plan.ts';
import { overlapsOf } from '../../audio/overlaps.ts';
import type { Peaks } from '../../audio/peaks.ts';
import type { Places } from '../../audio/typed-places.ts';
import { describeLevel } from '../../audio/waveform-peaks.ts';
import { formatExactClock, plural } from '../../format/format.ts';
import { CutHandles } from '../../parts/audio/cut-handles.tsx';
import { ExploredWaveform } from '../../parts/audio/explored-waveform.tsx';
import { Icon } from '../../parts/icons.tsx';
import { tell } from '../../state/announce.ts';
import { useJobPeaks } from '../../state/job-peaks.ts';
import { PieceRow } from './piece-row.tsx';

interface PlanEditorProps {
  readonly peaks: Peaks | undefined;
  /** A dry run that has the same source. */
  readonly dryRunId: string | undefined;
  readonly seconds: number;
  /** Undefined: none given yet, or wrong. */
  readonly places: Places | undefined;
  /** The last plan that was right is shown, and cannot be changed here. */
  readonly isWrong: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (text: string) => void;
}

const MAX_ROWS = 50;

export function PlanEditor({ dryRunId, ...props }: PlanEditorProps) {
  if (dryRunId === undefined) return <Editor {...props} />;
  return <EditorOfDryRun {...props} dryRunId={dryRunId} />;
}

/** With levels that the service draws, where it can. */
function EditorOfDryRun({
  dryRunId,
  ...props
}: Omit<PlanEditorProps, 'dryRunId'> & { readonly dryRunId: string }) {
  const { peaks, refine } = useJobPeaks(dryRunId, props.peaks);
  return <Editor {...props} peaks={peaks} onZoom={refine} />;
}

interface EditorProps extends Omit<PlanEditorProps, 'dryRunId'> {
  readonly onZoom?: () => void;
}

function Editor({ peaks, seconds, places, isWrong, isDisabled: isBusy, onChange, onZoom }: EditorProps) {
  const [cursor, setCursor] = useState(0);
  const right = useRef(places);
  if (!isWrong) right.current = places;
  const isDisabled = isBusy || isWrong;
  const plan = planOf(right.current, seconds);
  const pieces = piecesOfPlan(plan, seconds);
  const overlaps = overlapsOf(plan);
  const cuts = cutsOf(plan, seconds);
  const change = (next: EditedPlan) => {
    if (!isDisabled) onChange(textOfPlan(next, seconds));
  };
  const remove = (at: number) => {
    change(removeCut(plan, at, seconds));
    tell(`The cut at ${formatExactClock(at)} is removed.`);
  };
  const cutHere = () => {
    const next = addCut(plan, cursor);
    if (next === undefined) return tell('Nothing to cut there.');
    change(next);
    tell(`Cut at ${formatExactClock(cursor)}.`);
  };
  const index = pieces.findLastIndex(({ start, end }) => start <= cursor && cursor <= end);
  const piece = pieces[index];
  const there =
    piece === undefined || !piece.isKept
      ? 'left out'
      : (piece.title ?? `piece ${index + 1} of ${pieces.length}`);
  const first = Math.max(0, Math.min(index - Math.floor(MAX_ROWS / 2), pieces.length - MAX_ROWS));
  const kept = pieces.filter(({ isKept }) => isKept).length;
  return (
    <>
      <ExploredWaveform
        peaks={peaks}
        seconds={seconds}
        pieces={plan}
        overlaps={overlaps}
        label={`The recording with ${plural(plan.length, 'segment')}`}
        cursor={cursor}
        there={there}
        thereInWords={peaks === undefined ? there : `${there}, ${describeLevel(peaks, cursor)}`}
        hint="Drag a cut to move it, drag elsewhere to zoom in. Keys: arrows move what has the focus, Enter cuts at the cursor, Delete removes a cut, + and − zoom."
        onMove={setCursor}
        onPress={setCursor}
        keys={{ Enter: cutHere }}
        {...(onZoom === undefined ? {} : { onZoom })}
        tools={
          <button type="button" class="button" aria-disabled={isDisabled} onClick={cutHere}>
            <Icon name="scissors" size={16} /> Cut here
          </button>
        }
      >
        {(view) => (
          <CutHandles
            cuts={cuts}
            seconds={seconds}
            view={view}
            onRemove={remove}
            onMove={(from, to) => {
              const moved = moveCut(plan, from, to, seconds);
              change(moved.plan);
              return moved.at;
            }}
          />
        )}
      </ExploredWaveform>
      <ol class="pieces" aria-label="Pieces">
        {pieces.slice(first, first + MAX_ROWS).map((each, n) => (
          <PieceRow
            key={first + n}
            number={first + n + 1}
            piece={each}
            overlap={overlaps.some(({ start, end }) => start < each.end && end > each.start)}
            isDisabled={isDisabled}
            isLastKept={kept === 1 && each.isKept}
            onKeep={(isKept) => change(setKept(plan, each, isKept))}
            onTitle={(title) => change(setTitle(plan, each, title))}
            {...(each.end < seconds && { onJoin: () => remove(each.end) })}
          />
        ))}
      </ol>
      {pieces.length > MAX_ROWS && (
        <p class="hint">
          {pieces.length.toLocaleString('en')} pieces; these are the {MAX_ROWS} around the cursor.
        </p>
      )}
    </>
  );
}
