import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface RowRange {
  readonly first: number;
  /** Not included. */
  readonly end: number;
}

/** Rows beyond the edge that are there already when one scrolls. */
const SPARE = 8;

/** Which rows of a long list are to be seen: the others are only the room that they take. */
export function useWindow(list: RefObject<Element | null>, rowHeight: number, count: number): RowRange {
  const [range, setRange] = useState<RowRange>({ first: 0, end: Math.min(count, 30) });
  useEffect(() => {
    const look = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowHeight) - SPARE);
      const end = Math.min(count, Math.ceil((innerHeight - top) / rowHeight) + SPARE);
      setRange((now) =>
        now.first === first && now.end === end ? now : { first, end: Math.max(first, end) },
      );
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [list, rowHeight, count]);
  return range;
}
