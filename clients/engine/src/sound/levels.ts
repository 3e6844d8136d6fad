/**
 * The level of audio over time: the RMS over 20 ms, in steps of 10 ms, of the loudest channel.
 *
 * Squares are summed in blocks of one step, and a value combines two adjacent blocks, so each sample is read
 * once. If the rate is no multiple of 100 Hz, blocks differ by a sample and do not drift. Ten hours take 14
 * MB.
 */
import { frameBytes } from '../convert/samples/wav-header.ts';
import type { PcmShape } from '../formats/formats.ts';
import { SQUARE_SUMS } from './square-sums.ts';

export const STEP_SECONDS = 0.01;
/** The span of one value. */
export const SPAN_SECONDS = 2 * STEP_SECONDS;
/** The level of digital silence instead of minus infinity, so that values can be subtracted. */
export const FLOOR_DBFS = -200;
const STEPS_PER_SECOND = 100;
const FIRST_CAPACITY = 1_024;

export interface Levels {
  /** The start of the first value's span, counted from the first audible sample. */
  readonly startSeconds: number;
  readonly stepSeconds: number;
  /** dBFS; a value covers `SPAN_SECONDS` from its position on. */
  readonly values: Float32Array;
}

/** The end of the last value's span. */
export function endOfLevels({ startSeconds, stepSeconds, values }: Levels): number {
  return values.length === 0 ? startSeconds : startSeconds + (values.length - 1) * stepSeconds + SPAN_SECONDS;
}

/** The values whose spans lie within [from, to], as a view. */
export function levelsWithin(levels: Levels, fromSeconds: number, toSeconds: number): Levels {
  const { startSeconds, stepSeconds, values } = levels;
  const first = Math.max(0, Math.ceil((fromSeconds - startSeconds) / stepSeconds - ROUNDING));
  const end = Math.floor((toSeconds - SPAN_SECONDS - startSeconds) / stepSeconds + ROUNDING) + 1;
  return {
    startSeconds: startSeconds + first * stepSeconds,
    stepSeconds,
    values: values.subarray(first, Math.max(first, end)),
  };
}

/** A part of a step that rounding may add or remove. */
const ROUNDING = 1e-6;

interface LevelMeter {
  /** Interleaved samples; chunks may end inside a sample. */
  push(bytes: Uint8Array): void;
  /** The values so far. Audio shorter than one span has one value. */
  finish(): Levels;
}

export function createLevelMeter(pcm: PcmShape, startSeconds = 0): LevelMeter {
  const { channelCount, sampleRateHz } = pcm;
  const addSquares = SQUARE_SUMS[pcm.format];
  const frameSize = frameBytes(pcm);
  let values = new Float32Array(FIRST_CAPACITY);
  let count = 0;
  let carried: Uint8Array = new Uint8Array(0);
  let sums: Float64Array = new Float64Array(channelCount);
  let previous: { readonly sums: Float64Array; readonly frames: number } | undefined;
  let blockIndex = 0;
  let blockFrames = framesOfBlock(0, sampleRateHz);
  let framesIn = 0;

  function append(channelSums: (channel: number) => number, frames: number): void {
    let loudest = 0;
    for (let channel = 0; channel < channelCount; channel++)
      loudest = Math.max(loudest, channelSums(channel));
    if (count === values.length) {
      const grown = new Float32Array(2 * values.length);
      grown.set(values);
      values = grown;
    }
    values[count++] = loudest > 0 ? Math.max(FLOOR_DBFS, 10 * Math.log10(loudest / frames)) : FLOOR_DBFS;
  }

  function endBlock(): void {
    const before = previous;
    const block = { sums, frames: framesIn };
    if (before !== undefined)
      append(
        (channel) => (before.sums[channel] ?? 0) + (block.sums[channel] ?? 0),
        before.frames + block.frames,
      );
    previous = block;
    sums = before?.sums.fill(0) ?? new Float64Array(channelCount);
    framesIn = 0;
    blockIndex += 1;
    blockFrames = framesOfBlock(blockIndex, sampleRateHz);
  }

  function take(bytes: Uint8Array, frameCount: number): void {
    const addBlock = addSquares(bytes.subarray(0, frameCount * frameSize));
    for (let at = 0; at < frameCount; ) {
      const frames = Math.min(frameCount - at, blockFrames - framesIn);
      addBlock(at, frames, sums);
      at += frames;
      framesIn += frames;
      if (framesIn === blockFrames) endBlock();
    }
  }

  return {
    push(bytes) {
      let rest = bytes;
      if (carried.length > 0) {
        const missing = Math.min(frameSize - carried.length, rest.length);
        carried = Buffer.concat([carried, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (carried.length < frameSize) return;
        take(carried, 1);
      }
      const frameCount = Math.floor(rest.length / frameSize);
      take(rest, frameCount);
      carried = Uint8Array.from(rest.subarray(frameCount * frameSize));
    },
    finish() {
      const begun = sums;
      const before = previous;
      if (count === 0 && (before !== undefined || framesIn > 0))
        append(
          (channel) => (before?.sums[channel] ?? 0) + (begun[channel] ?? 0),
          (before?.frames ?? 0) + framesIn,
        );
      return { startSeconds, stepSeconds: STEP_SECONDS, values: values.slice(0, count) };
    },
  };
}

function framesOfBlock(index: number, sampleRateHz: number): number {
  const end = Math.round(((index + 1) * sampleRateHz) / STEPS_PER_SECOND);
  return Math.max(1, end - Math.round((index * sampleRateHz) / STEPS_PER_SECOND));
}
