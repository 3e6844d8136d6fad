/** A recording as a row of bars, in pieces where its segments lie. The list beside it says the same in words. */
import { useEffect, useRef } from 'preact/hooks';
import type { Peaks } from '../../audio/peaks.ts';
import type { Piece } from '../../audio/plan-pieces.ts';
import { useStore } from '../../state/store.ts';
import { theme } from '../../state/theme.ts';
import { useWidth } from '../use-width.ts';

interface WaveformProps {
  /** Without it all bars are alike. */
  readonly peaks: Peaks | undefined;
  readonly seconds: number;
  /** Where segments lie, by their index. They may leave gaps and overlap; of none the whole is one. */
  readonly pieces: readonly Piece[];
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
/** Lines of narrower pieces would hide the bars. */
const MIN_PIECE_WIDTH = 7;
/** Of a bar: in no segment. */
const LEFT_OUT = -1;

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
  const { peaks, seconds, pieces, progress = 1, active, playhead } = props;
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
  const current = active === undefined ? undefined : pieces[active];
  if (current !== undefined) {
    const from = xOf(current.start);
    pen.fillStyle = colours.active;
    pen.globalAlpha = 0.14;
    pen.beginPath();
    pen.roundRect(from, 0, Math.max(3, xOf(current.end) - from), height, 6);
    pen.fill();
    pen.globalAlpha = 1;
  }

  const bars = Math.floor((width + STEP - BAR) / STEP);
  const owners = ownersOf(pieces, { bars, active, barAt: (at) => (xOf(at) - BAR / 2) / STEP });
  for (let n = 0; n < bars; n += 1) {
    const x = n * STEP;
    const owner = owners[n] ?? LEFT_OUT;
    const loud = peaks === undefined ? NEUTRAL : loudest(peaks, n / bars, (n + 1) / bars);
    const tall = Math.max(BAR, (loud / 255) * (height - 16));
    const isDone = (x + BAR / 2) / width <= progress;
    pen.fillStyle =
      owner === active ? colours.active : owner % 2 === 0 || owner === LEFT_OUT ? colours.even : colours.odd;
    pen.globalAlpha = isDone && owner !== LEFT_OUT ? 1 : 0.28;
    pen.beginPath();
    pen.roundRect(x, (height - tall) / 2, BAR, tall, BAR / 2);
    pen.fill();
  }
  pen.globalAlpha = 1;

  if (pieces.length > 1 && width / pieces.length >= MIN_PIECE_WIDTH) {
    pen.strokeStyle = colours.border;
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    pen.beginPath();
    for (const x of bordersOf(pieces, seconds, xOf)) {
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

interface Bars {
  readonly bars: number;
  readonly active: number | undefined;
  /** Of a time, in bars; a bar belongs where its middle lies. */
  readonly barAt: (seconds: number) => number;
}

/** The segment in which each bar lies. Of several it is the one that plays, else the last. */
function ownersOf(pieces: readonly Piece[], { bars, active, barAt }: Bars): Int32Array {
  const owners = new Int32Array(bars).fill(pieces.length === 0 ? 0 : LEFT_OUT);
  const claim = (index: number) => {
    const piece = pieces[index];
    if (piece !== undefined) owners.fill(index, clamp(barAt(piece.start)), clamp(barAt(piece.end)));
  };
  const clamp = (bar: number) => Math.min(bars, Math.max(0, Math.ceil(bar)));
  for (let index = 0; index < pieces.length; index += 1) claim(index);
  if (active !== undefined) claim(active);
  return owners;
}

/** Where a piece begins or ends, but for the ends of the recording. */
function bordersOf(pieces: readonly Piece[], seconds: number, xOf: (at: number) => number): Set<number> {
  const inside = pieces.flatMap(({ start, end }) => [start, end]).filter((at) => at > 0 && at < seconds);
  return new Set(inside.map((at) => Math.round(xOf(at))));
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
