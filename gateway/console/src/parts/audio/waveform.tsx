/** A recording as a row of bars, cut where its segments begin. The list beside it says the same in words. */
import { useEffect, useRef } from 'preact/hooks';
import type { Peaks } from '../../audio/peaks.ts';
import { useStore } from '../../state/store.ts';
import { theme } from '../../state/theme.ts';
import { useWidth } from '../use-width.ts';

interface WaveformProps {
  /** Without it all bars are alike. */
  readonly peaks: Peaks | undefined;
  readonly seconds: number;
  /** Where segments begin, but for the first. */
  readonly borders: readonly number[];
  readonly label: string;
  /** Of the work on it, from 0 to 1; absent: done. */
  readonly progress?: number | undefined;
  readonly active?: number | undefined;
  /** Seconds. */
  readonly playhead?: number | undefined;
  readonly onPick?: ((seconds: number) => void) | undefined;
}

const BAR = 3;
const STEP = 5;
const NEUTRAL = 46;
/** Borders closer than this would hide the bars. */
const MIN_BORDER_SPACING = 7;

export function Waveform(props: WaveformProps) {
  const { label, onPick, seconds } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  const scheme = useStore(theme);
  useEffect(() => {
    if (canvas.current !== null && width > 0) draw(canvas.current, width, props);
  });
  useEffect(() => {
    const preference = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => canvas.current !== null && draw(canvas.current, canvas.current.clientWidth, props);
    preference.addEventListener('change', redraw);
    return () => preference.removeEventListener('change', redraw);
  }, [scheme]);
  const pick = (event: MouseEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    if (box !== undefined && onPick !== undefined) onPick(((event.clientX - box.left) / box.width) * seconds);
  };
  return (
    <canvas
      ref={canvas}
      class={onPick === undefined ? 'waveform' : 'waveform waveform-active'}
      role="img"
      aria-label={label}
      onClick={pick}
    />
  );
}

function draw(canvas: HTMLCanvasElement, width: number, props: WaveformProps): void {
  const { peaks, seconds, borders, progress = 1, active, playhead } = props;
  const height = canvas.clientHeight;
  const scale = devicePixelRatio;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const colours = coloursOf(canvas);
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);

  const xOf = (at: number) => (at / seconds) * width;
  const starts = [0, ...borders];
  const hasLines = borders.length > 0 && width / starts.length >= MIN_BORDER_SPACING;
  if (active !== undefined && starts[active] !== undefined) {
    const from = xOf(starts[active]);
    pen.fillStyle = colours.active;
    pen.globalAlpha = 0.14;
    pen.beginPath();
    pen.roundRect(from, 0, Math.max(3, xOf(starts[active + 1] ?? seconds) - from), height, 6);
    pen.fill();
    pen.globalAlpha = 1;
  }

  const bars = Math.floor((width + STEP - BAR) / STEP);
  let segment = 0;
  for (let n = 0; n < bars; n += 1) {
    const x = n * STEP;
    const at = ((x + BAR / 2) / width) * seconds;
    while (segment < borders.length && at >= (borders[segment] ?? 0)) segment += 1;
    const loud = peaks === undefined ? NEUTRAL : loudest(peaks, n / bars, (n + 1) / bars);
    const tall = Math.max(BAR, (loud / 255) * (height - 16));
    const isDone = (x + BAR / 2) / width <= progress;
    pen.fillStyle = segment === active ? colours.active : segment % 2 === 0 ? colours.even : colours.odd;
    pen.globalAlpha = isDone ? 1 : 0.28;
    pen.beginPath();
    pen.roundRect(x, (height - tall) / 2, BAR, tall, BAR / 2);
    pen.fill();
  }
  pen.globalAlpha = 1;

  if (hasLines) {
    pen.strokeStyle = colours.border;
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    pen.beginPath();
    for (const border of borders) {
      const x = Math.round(xOf(border));
      pen.moveTo(x, 2);
      pen.lineTo(x, height - 2);
    }
    pen.stroke();
    pen.setLineDash([]);
  }
  if (playhead !== undefined) {
    const x = xOf(playhead);
    pen.fillStyle = colours.border;
    pen.beginPath();
    pen.roundRect(x - 1, 0, 2, height, 1);
    pen.fill();
    pen.beginPath();
    pen.arc(x, 5, 5, 0, 2 * Math.PI);
    pen.fill();
  }
}

function loudest({ values }: Peaks, from: number, to: number): number {
  let most = 0;
  const end = Math.max(Math.floor(from * values.length) + 1, Math.ceil(to * values.length));
  for (let at = Math.floor(from * values.length); at < end; at += 1) most = Math.max(most, values[at] ?? 0);
  return most;
}

/** The style sheet decides; these are the properties in which it says so to a canvas. */
function coloursOf(canvas: HTMLCanvasElement) {
  const style = getComputedStyle(canvas);
  return {
    even: style.color,
    odd: style.caretColor,
    border: style.outlineColor,
    active: style.textDecorationColor,
  };
}
