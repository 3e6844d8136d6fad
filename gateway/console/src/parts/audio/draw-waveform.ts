/** A recording as a row of bars on a canvas, in pieces where its segments lie. */
import type { Mark } from '../../audio/cut-marks.ts';
import type { Peaks } from '../../audio/peaks.ts';
import type { Piece } from '../../audio/piece.ts';
import type { View } from '../../audio/view.ts';
import { drawMarks } from './draw-marks.ts';

export interface Drawing {
  /** Without it all bars are alike. */
  readonly peaks: Peaks | undefined;
  readonly seconds: number;
  /** Absent: the whole. */
  readonly view?: View | undefined;
  /** Where segments lie, by their index. They may leave gaps and overlap; of none the whole is one. */
  readonly pieces: readonly Piece[];
  /** Where pieces lie over one another. */
  readonly overlaps?: readonly Piece[] | undefined;
  readonly marks?: readonly Mark[] | undefined;
  /** Of the work on it, from 0 to 1; absent: done. */
  readonly progress?: number | undefined;
  readonly active?: number | undefined;
  /** Seconds. */
  readonly playhead?: number | undefined;
}

const BAR = 3;
const STEP = 5;
const NEUTRAL = 46;
/** Lines of narrower pieces would hide the bars. */
const MIN_PIECE_WIDTH = 7;
/** Of a bar: in no segment. */
const LEFT_OUT = -1;

export function drawWaveform(canvas: HTMLCanvasElement, width: number, drawing: Drawing): void {
  const { peaks, seconds, pieces, overlaps = [], marks = [], progress = 1, active, playhead } = drawing;
  const { start, end } = drawing.view ?? { start: 0, end: seconds };
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

  const xOf = (at: number) => ((at - start) / (end - start)) * width;
  const timeAt = (x: number) => start + (x / width) * (end - start);
  const current = active === undefined ? undefined : pieces[active];
  pen.fillStyle = colours.active;
  for (const piece of current === undefined ? overlaps : [...overlaps, current]) {
    const from = xOf(piece.start);
    pen.globalAlpha = piece === current ? 0.14 : 0.3;
    pen.beginPath();
    pen.roundRect(from, 0, Math.max(3, xOf(piece.end) - from), height, 6);
    pen.fill();
  }
  pen.globalAlpha = 1;

  const bars = Math.floor((width + STEP - BAR) / STEP);
  const owners = ownersOf(pieces, { bars, active, barAt: (at) => (xOf(at) - BAR / 2) / STEP });
  for (let n = 0; n < bars; n += 1) {
    const x = n * STEP;
    const owner = owners[n] ?? LEFT_OUT;
    const loud = peaks === undefined ? NEUTRAL : loudest(peaks, timeAt(x), timeAt(x + STEP));
    const tall = Math.max(BAR, (loud / 255) * (height - 16));
    const isDone = timeAt(x + BAR / 2) <= progress * seconds;
    pen.fillStyle =
      owner === active ? colours.active : owner % 2 === 0 || owner === LEFT_OUT ? colours.even : colours.odd;
    pen.globalAlpha = isDone && owner !== LEFT_OUT ? 1 : 0.28;
    pen.beginPath();
    pen.roundRect(x, (height - tall) / 2, BAR, tall, BAR / 2);
    pen.fill();
  }
  pen.globalAlpha = 1;

  const borders = new Set(
    bordersOf(pieces, seconds)
      .map((at) => Math.round(xOf(at)))
      .filter((x) => x >= 0 && x <= width),
  );
  if (borders.size * MIN_PIECE_WIDTH <= width) {
    pen.strokeStyle = colours.border;
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    pen.beginPath();
    for (const x of borders) {
      pen.moveTo(x, 2);
      pen.lineTo(x, height - 2);
    }
    pen.stroke();
    pen.setLineDash([]);
    pen.fillStyle = colours.active;
    drawMarks(
      pen,
      marks.map((mark) => ({ ...mark, x: xOf(mark.seconds) })),
    );
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
function bordersOf(pieces: readonly Piece[], seconds: number): number[] {
  return pieces.flatMap(({ start, end }) => [start, end]).filter((at) => at > 0 && at < seconds);
}

function loudest({ values, seconds }: Peaks, from: number, to: number): number {
  let most = 0;
  const first = Math.floor((from / seconds) * values.length);
  const end = Math.max(first + 1, Math.ceil((to / seconds) * values.length));
  for (let at = first; at < end; at += 1) most = Math.max(most, values[at] ?? 0);
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
