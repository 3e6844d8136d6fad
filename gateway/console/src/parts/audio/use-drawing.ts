import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../../state/store.ts';
import { theme } from '../../state/theme.ts';
import { useWidth } from '../use-width.ts';
import { type Drawing, drawWaveform } from './draw-waveform.ts';

/** Draws anew with each rendering, and when the width or the colours change. */
export function useDrawing(canvas: RefObject<HTMLCanvasElement | null>, drawing: Drawing): void {
  const width = useWidth(canvas);
  useStore(theme);
  const redraw = useRef(() => {});
  redraw.current = () => {
    if (canvas.current !== null && width > 0) drawWaveform(canvas.current, width, drawing);
  };
  useEffect(() => redraw.current());
  useEffect(() => {
    const preference = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => redraw.current();
    preference.addEventListener('change', follow);
    return () => preference.removeEventListener('change', follow);
  }, []);
}
