import { useState } from 'preact/hooks';

/** Two places on an element, as shares of its width. */
export interface Selection {
  readonly from: number;
  readonly to: number;
}

interface DragOptions {
  readonly onPress: (share: number) => void;
  readonly onSelect: (selection: Selection) => void;
  /** Called after `onPress` or `onSelect`. */
  readonly onEnd: () => void;
}

/** A shorter movement is a press, because a pressing hand moves a little. */
const MIN_PIXELS = 6;

/** Distinguishes a press from a drag, by mouse, pen or finger. */
export function useDrag({ onPress, onSelect, onEnd }: DragOptions) {
  const [drag, setDrag] = useState<{
    readonly pointerId: number;
    readonly from: number;
    readonly to: number;
  }>();
  const isLong = (element: Element, { from, to }: Selection) =>
    Math.abs(to - from) * element.clientWidth >= MIN_PIXELS;
  const [isSelecting, setSelecting] = useState(false);
  const end = () => {
    setDrag(undefined);
    setSelecting(false);
  };
  return {
    /** The selection while the user draws it. */
    selection: isSelecting ? drag : undefined,
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || drag !== undefined || !(event.currentTarget instanceof Element)) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const share = shareOf(event, event.currentTarget);
      setDrag({ pointerId: event.pointerId, from: share, to: share });
    },
    onPointerMove(event: PointerEvent) {
      if (drag?.pointerId !== event.pointerId || !(event.currentTarget instanceof Element)) return;
      const moved = { ...drag, to: shareOf(event, event.currentTarget) };
      setDrag(moved);
      if (isLong(event.currentTarget, moved)) setSelecting(true);
    },
    onPointerUp(event: PointerEvent) {
      if (drag?.pointerId !== event.pointerId || !(event.currentTarget instanceof Element)) return;
      const selected = { from: drag.from, to: shareOf(event, event.currentTarget) };
      end();
      if (isLong(event.currentTarget, selected)) onSelect(selected);
      else if (!isSelecting) onPress(selected.from);
      onEnd();
    },
    /** The browser has made something else of it, such as scrolling. */
    onPointerCancel: end,
  };
}

function shareOf({ clientX }: PointerEvent, element: Element): number {
  const { left, width } = element.getBoundingClientRect();
  return Math.min(1, Math.max(0, (clientX - left) / width));
}
