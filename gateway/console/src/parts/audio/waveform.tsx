/** A recording as a picture. The list beside it says the same in words. */
import { useRef } from 'preact/hooks';
import type { Drawing } from './draw-waveform.ts';
import { useDrawing } from './use-drawing.ts';

export function Waveform({ label, ...drawing }: Drawing & { readonly label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useDrawing(canvas, drawing);
  return <canvas ref={canvas} class="waveform" role="img" aria-label={label} />;
}
