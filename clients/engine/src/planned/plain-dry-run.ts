/**
 * A dry run of a plain cut tells what the job itself makes. Its copies are measured by the splitter that makes
 * them: segments of a plan would carry their number and stay further below a ceiling of bytes.
 */
import type { Piece } from '@audiosplit/cuts/plan/piece';
import { createCutRule } from '../cuts/create-cut-rule.ts';
import type { Cut } from '../cuts/cut.ts';
import type { FinishedSegment } from '../media.ts';
import { createLocalFileReader } from '../source/local-file.ts';
import { PlannedLengthError } from './planned-length-error.ts';
import type { PlannedSplit } from './prepare.ts';
import type { CopiedRoute } from './route.ts';

/** Throws CopyNotPossibleError, and PlannedLengthError if the source is not as long as it claims. */
export async function measurePlainCut(
  { source: { file }, runtime }: Pick<PlannedSplit, 'source' | 'runtime'>,
  { measuring, length, isLengthClaimed }: CopiedRoute,
  cut: Cut,
): Promise<readonly FinishedSegment[]> {
  const segments: FinishedSegment[] = [];
  const { chunks, memory } = createLocalFileReader(file);
  const source = chunks();
  try {
    const { sourceSampleCount } = await measuring(source, {
      cut: createCutRule(cut),
      outputDir: runtime.workDir,
      sizesOnly: true,
      signal: runtime.signal,
      onSegment: async (segment) => void segments.push(segment),
      onBytes: () => undefined,
      keptSource: async () => file,
      memory,
    });
    if (isLengthClaimed && sourceSampleCount !== length.sampleCount)
      throw new PlannedLengthError(`${length.sampleCount} samples were claimed`);
    return segments;
  } finally {
    await source.return(undefined);
  }
}

export function piecesOf(segments: readonly FinishedSegment[]): Piece[] {
  return segments.map(({ startSample, sampleCount, sampleRateHz }, index) => ({
    startSeconds: startSample / sampleRateHz,
    endSeconds: (startSample + sampleCount) / sampleRateHz,
    endKind: index === segments.length - 1 ? 'end' : 'exact',
  }));
}
