/** Splits by a request of the API, for the tests of plans. */
import type { CutRequest } from '@audiosplit/proto/cut';
import type { FinishedSegment, SplitOptions, SplitResult } from '../media.ts';
import { startSplit } from '../testing/split-run.ts';

export interface PlannedOutcome extends AsyncDisposable {
  /** In the order of their index; their files are there until the outcome is disposed of. */
  readonly segments: readonly FinishedSegment[];
  readonly result: SplitResult;
}

export async function splitByRequest(
  source: Uint8Array,
  request: CutRequest,
  settings: Pick<SplitOptions, 'ffmpegPath'> & Partial<SplitOptions>,
): Promise<PlannedOutcome> {
  const run = await startSplit(source, { cut: { mode: 'planned', request }, ...settings });
  try {
    const result = await run.outcome;
    const leftovers = await run.leftovers();
    if (leftovers.length > 0) throw new Error(`left over: ${leftovers}`);
    const segments = [...run.segments].sort((one, other) => one.index - other.index);
    return { segments, result, [Symbol.asyncDispose]: () => run[Symbol.asyncDispose]() };
  } catch (error) {
    await run[Symbol.asyncDispose]();
    throw error;
  }
}

/** Start, content start where there is one, and end, in seconds to the millisecond. */
export function timesOf(segments: readonly FinishedSegment[]): number[][] {
  return segments.map(({ startSample, sampleCount, contentStartSample, sampleRateHz }) => {
    const samples = [startSample, contentStartSample, startSample + sampleCount].filter(
      (at) => at !== undefined,
    );
    return samples.map((at) => Math.round((at / sampleRateHz) * 1000) / 1000);
  });
}
