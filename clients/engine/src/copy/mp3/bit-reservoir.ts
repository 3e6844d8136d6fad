import { type FrameRun, frameCount, framesBetween, sliceRun, startInSource } from '../frames/frame-run.ts';
import { mainDataOffset, readFrameHeader, readMainDataBegin } from './frame-header.ts';

/**
 * The main data of a Layer III frame may begin in the bytes of earlier frames. The reservoir keeps the last
 * frames, and the main data to which the first of them refers back, so that a file can begin at any frame.
 */
export interface BitReservoir {
  /** Frames [from, to) of the run. */
  push(run: FrameRun, from: number, to: number): void;
  /**
   * Up to `wantedFrames` (at most 4) last frames, and the earlier bytes to which the first of them refers.
   */
  tail(wantedFrames: number): { readonly frames: readonly Buffer[]; readonly backReference: Buffer };
  /** The position in the source of the first frame that it keeps; Infinity if it keeps none. */
  start(): number;
}

/** `main_data_begin` has nine bits. */
const MAX_BACK_REFERENCE_BYTES = 511;
const MAX_TAIL_FRAMES = 4;
/** The smallest frames contain 3 bytes of main data. */
export const MAX_REMEMBERED_FRAMES = MAX_TAIL_FRAMES + Math.ceil(MAX_BACK_REFERENCE_BYTES / 3);

export function createBitReservoir(): BitReservoir {
  const runs: FrameRun[] = [];
  let remembered = 0;

  function* backwards(): Generator<Buffer> {
    for (const run of runs.toReversed()) {
      for (let index = frameCount(run); index > 0; index--) yield framesBetween(run, index - 1, index);
    }
  }

  return {
    push(run, from, to) {
      const kept = sliceRun(run, Math.max(from, to - MAX_REMEMBERED_FRAMES), to);
      runs.push(kept);
      remembered += frameCount(kept);
      for (let oldest = runs[0]; oldest !== undefined; oldest = runs[0]) {
        if (remembered - frameCount(oldest) < MAX_REMEMBERED_FRAMES) break;
        remembered -= frameCount(oldest);
        runs.shift();
      }
    },
    start() {
      const [oldest] = runs;
      return oldest === undefined ? Number.POSITIVE_INFINITY : startInSource(oldest);
    },
    tail(wantedFrames) {
      const frames: Buffer[] = [];
      const mainData: Buffer[] = [];
      let reach = 0;
      for (const frame of backwards()) {
        if (frames.length < wantedFrames) {
          frames.unshift(frame);
          continue;
        }
        const header = readFrameHeader(frame, 0);
        const own = frame.subarray(header === undefined ? frame.length : mainDataOffset(header));
        mainData.unshift(own);
        reach += own.length;
        if (reach >= MAX_BACK_REFERENCE_BYTES) break;
      }
      const [first = Buffer.alloc(0)] = frames;
      const header = readFrameHeader(first, 0);
      const wanted = header === undefined ? 0 : readMainDataBegin(first, header);
      const before = Buffer.concat(mainData);
      return { frames, backReference: before.subarray(Math.max(0, before.length - wanted)) };
    },
  };
}
