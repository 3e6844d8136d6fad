/** Cuts to take hold of: dragged, or moved by the keyboard, each a slider whose value is its time. */
import { useRef } from 'preact/hooks';
import { isWithin, type View } from '../../audio/view.ts';
import { formatExactClock } from '../../format/format.ts';

interface CutHandlesProps {
  readonly cuts: readonly number[];
  readonly seconds: number;
  readonly view: View;
  /** Returns where it comes to lie. */
  readonly onMove: (from: number, to: number) => number;
  readonly onRemove: (at: number) => void;
}

/** More would lie on one another. */
const MAX_SHOWN = 60;
const STEP = 1 / 100;
const FINE_STEP = STEP / 10;

export function CutHandles({ cuts, seconds, view, onMove, onRemove }: CutHandlesProps) {
  const span = view.end - view.start;
  /** What is being dragged, as it changes. */
  const held = useRef<number | undefined>(undefined);
  const shown = cuts.map((at, n) => ({ at, number: n + 1 })).filter(({ at }) => isWithin(view, at));
  if (shown.length > MAX_SHOWN) return null;
  const timeAt = (element: Element, clientX: number) => {
    const { left, width } = (element.parentElement ?? element).getBoundingClientRect();
    return view.start + ((clientX - left) / width) * span;
  };
  const remove = (handle: EventTarget | null, at: number) => {
    // The handle may go with the cut.
    const before = handle instanceof Element ? handle.previousElementSibling : null;
    if (before instanceof HTMLElement) before.focus();
    onRemove(at);
  };
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = span * (event.shiftKey ? FINE_STEP : STEP);
    const acts: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => onMove(at, at - step),
      ArrowDown: () => onMove(at, at - step),
      ArrowRight: () => onMove(at, at + step),
      ArrowUp: () => onMove(at, at + step),
      Delete: () => remove(event.currentTarget, at),
      Backspace: () => remove(event.currentTarget, at),
    };
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    <>
      {shown.map(({ at, number }) => (
        <span
          key={number}
          class="cut-handle"
          style={{ left: `${((at - view.start) / span) * 100}%` }}
          role="slider"
          tabIndex={0}
          aria-label={`Cut ${number}`}
          aria-valuemin={0}
          aria-valuemax={seconds}
          aria-valuenow={at}
          aria-valuetext={formatExactClock(at)}
          onKeyDown={(event) => onKeyDown(event, at)}
          onPointerDown={(event) => {
            event.stopPropagation();
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            held.current = at;
          }}
          onPointerMove={(event) => {
            event.stopPropagation();
            if (held.current === undefined) return;
            held.current = onMove(held.current, timeAt(event.currentTarget, event.clientX));
          }}
          onPointerUp={(event) => {
            event.stopPropagation();
            held.current = undefined;
          }}
          onPointerCancel={() => {
            held.current = undefined;
          }}
        />
      ))}
    </>
  );
}
