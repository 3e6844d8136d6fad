/** What a splitter must know of a frame to examine the frames after it. */
export interface Timed {
  readonly sampleCount: number;
}

interface LookAheadBatch<T> {
  readonly frames: readonly T[];
  /** Samples in the whole stream; known only with the last batch, which comes even if it is empty. */
  readonly totalSampleCount: number | undefined;
}

/**
 * Delays frames: each is passed on only when at least `heldSampleCount` samples are known to follow it, or
 * when the end of the stream, and therefore the exact remainder, is known.
 */
export async function* lookAhead<T extends Timed>(
  batches: AsyncIterable<readonly T[]>,
  heldSampleCount: number,
): AsyncGenerator<LookAheadBatch<T>> {
  let held: T[] = [];
  let heldSamples = 0;
  let totalSampleCount = 0;
  for await (const batch of batches) {
    for (const frame of batch) {
      held.push(frame);
      heldSamples += frame.sampleCount;
      totalSampleCount += frame.sampleCount;
    }
    let ready = 0;
    for (const frame of held) {
      if (heldSamples - frame.sampleCount < heldSampleCount) break;
      heldSamples -= frame.sampleCount;
      ready += 1;
    }
    if (ready === 0) continue;
    const frames = held.slice(0, ready);
    held = held.slice(ready);
    yield { frames, totalSampleCount: undefined };
  }
  yield { frames: held, totalSampleCount };
}
