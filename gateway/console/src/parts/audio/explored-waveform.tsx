/**
 * A waveform to move in: a cursor, and a part that is shown. To programs that read pages it is a slider, whose value says where
 * the cursor is and what is there.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import {
  isWhole,
  isWithin,
  showing,
  startingAt,
  type View,
  viewBetween,
  wholeOf,
  zoomed,
} from '../../audio/view.ts';
import { formatClock, formatExactClock } from '../../format/format.ts';
import { Icon } from '../icons.tsx';
import type { Drawing } from './draw-waveform.ts';
import { type Selection, useDrag } from './use-drag.ts';
import { useDrawing } from './use-drawing.ts';

interface ExploredWaveformProps extends Omit<Drawing, 'view' | 'playhead' | 'progress'> {
  readonly label: string;
  /** Seconds. */
  readonly cursor: number;
  /** What lies at the cursor. */
  readonly there: string;
  /** The same for those who do not see it. */
  readonly thereInWords: string;
  readonly hint: string;
  readonly isReading?: boolean;
  readonly onMove: (seconds: number) => void;
  readonly onPress: (seconds: number) => void;
  /** Further keys on the cursor. */
  readonly keys?: Readonly<Record<string, () => void>>;
  /** When more detail is of use. */
  readonly onZoom?: () => void;
  readonly tools?: ComponentChildren;
  /** What lies over the part that is shown. */
  readonly children?: (view: View) => ComponentChildren;
}

const ZOOM = 2;
/** Of what is shown. */
const STEP = 1 / 100;
const FINE_STEP = STEP / 10;
const PAGE = 1 / 10;

export function ExploredWaveform(props: ExploredWaveformProps) {
  const { label, cursor, there, thereInWords, hint, isReading, tools, children } = props;
  const { onMove, onPress, keys = {}, onZoom, ...drawing } = props;
  const { seconds } = drawing;
  const [view, setView] = useState(() => wholeOf(seconds));
  const canvas = useRef<HTMLCanvasElement>(null);
  const slider = useRef<HTMLInputElement>(null);
  const hintId = useId();
  useDrawing(canvas, { ...drawing, view, playhead: cursor });
  useFollow(cursor, view, () => setView(showing(view, cursor, seconds)));

  const show = (next: View) => {
    setView(next);
    if (!isWhole(next, seconds)) onZoom?.();
  };
  const zoom = (factor: number) => {
    const middle = (view.start + view.end) / 2;
    show(zoomed(view, factor, isWithin(view, cursor) ? cursor : middle, seconds));
  };
  const timeAt = (share: number) => view.start + share * (view.end - view.start);
  const { selection, ...gestures } = useDrag({
    onPress: (share) => onPress(timeAt(share)),
    onSelect: ({ from, to }) => show(viewBetween(timeAt(from), timeAt(to), seconds)),
    onEnd: () => slider.current?.focus({ preventScroll: true }),
  });
  const move = (to: number) => {
    const at = Math.min(seconds, Math.max(0, Math.round(to * 1_000) / 1_000));
    setView(showing(view, at, seconds));
    onMove(at);
  };
  const span = view.end - view.start;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = span * (event.shiftKey ? FINE_STEP : STEP);
    const acts: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move(cursor - step),
      ArrowDown: () => move(cursor - step),
      ArrowRight: () => move(cursor + step),
      ArrowUp: () => move(cursor + step),
      PageDown: () => move(cursor - span * PAGE),
      PageUp: () => move(cursor + span * PAGE),
      Home: () => move(0),
      End: () => move(seconds),
      '+': () => zoom(ZOOM),
      '=': () => zoom(ZOOM),
      '-': () => zoom(1 / ZOOM),
      '0': () => show(wholeOf(seconds)),
      ...keys,
    };
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const isAll = isWhole(view, seconds);
  return (
    <>
      <div class={isReading === true ? 'explored explored-reading' : 'explored'} {...gestures}>
        <canvas ref={canvas} class="waveform" role="img" aria-label={label} />
        {selection !== undefined && <span class="explored-selection" style={placeOf(selection)} />}
        <input
          ref={slider}
          type="range"
          class="explored-cursor"
          min={0}
          max={seconds}
          step="any"
          value={cursor}
          aria-label="Cursor"
          aria-valuetext={`${formatExactClock(cursor)}, ${thereInWords}`}
          aria-describedby={hintId}
          onInput={(event) => move(Number(event.currentTarget.value))}
          onKeyDown={onKeyDown}
        />
        {children?.(view)}
      </div>
      <div class="explored-tools">
        <button
          type="button"
          class="button button-icon"
          aria-label="Zoom out"
          aria-disabled={isAll}
          onClick={() => zoom(1 / ZOOM)}
        >
          <Icon name="minus" size={18} />
        </button>
        <button type="button" class="button button-icon" aria-label="Zoom in" onClick={() => zoom(ZOOM)}>
          <Icon name="plus" size={18} />
        </button>
        <button type="button" class="button" aria-disabled={isAll} onClick={() => setView(wholeOf(seconds))}>
          Show all
        </button>
        {tools}
        <input
          type="range"
          class={isAll ? 'explored-part explored-part-all' : 'explored-part'}
          min={0}
          max={Math.max(0, seconds - span)}
          step="any"
          value={view.start}
          aria-label="Part shown"
          aria-valuetext={`${formatClock(view.start)} to ${formatClock(view.end)}`}
          onInput={(event) => setView(startingAt(view, Number(event.currentTarget.value), seconds))}
        />
        <span class="explored-there number">
          <strong>{formatExactClock(cursor)}</strong> {there}
        </span>
      </div>
      <p class="hint" id={hintId}>
        {hint}
      </p>
    </>
  );
}

/** When the cursor leaves what is shown, as it does while it plays. A view that has been moved away from it stays. */
function useFollow(cursor: number, view: View, follow: () => void): void {
  const before = useRef(cursor);
  useEffect(() => {
    const wasShown = isWithin(view, before.current);
    before.current = cursor;
    if (wasShown && !isWithin(view, cursor)) follow();
  }, [cursor]);
}

function placeOf({ from, to }: Selection) {
  return { left: `${Math.min(from, to) * 100}%`, width: `${Math.abs(to - from) * 100}%` };
}
