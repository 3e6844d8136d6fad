/** Consecutive frames in a window, all with the same number of samples. */
export interface Frames {
  readonly window: Buffer;
  /** The position in the window of each frame, and of the end of the last one: one entry more than frames. */
  readonly offsets: readonly number[];
  readonly samplesPerFrame: number;
}

/** Frames at their positions in the source. */
export interface FrameRun extends Frames {
  /** The position of the window in the source. */
  readonly windowStart: number;
}

/** The position of the first frame in the source. */
export function startInSource(run: FrameRun): number {
  return run.windowStart + frameOffset(run, 0);
}

export function frameCount(run: Frames): number {
  return run.offsets.length - 1;
}

export function frameOffset(run: Frames, index: number): number {
  return run.offsets[index] ?? run.window.length;
}

/** The bytes of frames [from, to). */
export function framesBetween(run: Frames, from: number, to: number): Buffer {
  return run.window.subarray(frameOffset(run, from), frameOffset(run, to));
}

/** Frames [from, to) as a separate run. */
export function sliceRun(run: FrameRun, from: number, to: number): FrameRun {
  return { ...run, offsets: run.offsets.slice(from, to + 1) };
}

/** The number of frames from `from` on that together take at most `byteCount`. */
export function countFramesThatFit(run: FrameRun, from: number, byteCount: number): number {
  const all = frameCount(run);
  const end = frameOffset(run, from) + byteCount;
  if (frameOffset(run, all) <= end) return all - from;
  let index = from;
  while (index < all && frameOffset(run, index + 1) <= end) index += 1;
  return index - from;
}

interface FrameRunBatch {
  readonly runs: readonly FrameRun[];
  /** Samples in the whole stream; known only with the last batch, which comes even if it is empty. */
  readonly totalSampleCount: number | undefined;
  /** The position in the source of the first frame that is held back; Infinity if there is none. */
  readonly heldStart: number;
}

/**
 * Delays frames: each is passed on only when at least `heldSampleCount` samples are known to follow it, or
 * when the end of the stream, and therefore the exact remainder, is known.
 */
export async function* lookAheadRuns(
  source: AsyncIterable<FrameRun>,
  heldSampleCount: number,
): AsyncGenerator<FrameRunBatch> {
  const held: FrameRun[] = [];
  let heldSamples = 0;
  let totalSampleCount = 0;
  for await (const arrived of source) {
    const arrivedSamples = frameCount(arrived) * arrived.samplesPerFrame;
    heldSamples += arrivedSamples;
    totalSampleCount += arrivedSamples;
    held.push(arrived);
    const runs: FrameRun[] = [];
    for (let run = held[0]; run !== undefined; run = held[0]) {
      const all = frameCount(run);
      const ready = Math.min(all, Math.floor((heldSamples - heldSampleCount) / run.samplesPerFrame));
      if (ready <= 0) break;
      heldSamples -= ready * run.samplesPerFrame;
      runs.push(sliceRun(run, 0, ready));
      if (ready < all) held[0] = sliceRun(run, ready, all);
      else held.shift();
    }
    if (runs.length === 0) continue;
    const [oldest] = held;
    const heldStart = oldest === undefined ? Number.POSITIVE_INFINITY : startInSource(oldest);
    yield { runs, totalSampleCount: undefined, heldStart };
  }
  yield { runs: held, totalSampleCount, heldStart: Number.POSITIVE_INFINITY };
}
