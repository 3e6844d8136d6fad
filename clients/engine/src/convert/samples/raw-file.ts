/** Plain samples of a file on this machine, by a reader of its own: only that may use its memory again. */
import type { PcmShape } from '../../formats/formats.ts';
import { createLocalFileReader, type LocalFile } from '../../source/local-file.ts';
import type { ProbedSource } from '../input/probed-source.ts';
import type { AudibleSamples } from './audible-samples.ts';
import { readRawSamples } from './raw-samples.ts';
import { frameBytes } from './wav-header.ts';

/** The part of a source that is read, in samples. */
export interface SampleSpan {
  readonly from: number;
  /** Infinity: to the end. */
  readonly to: number;
}

interface RawFileOptions {
  readonly span: SampleSpan;
  readonly maxDurationMs: number | undefined;
}

/** undefined as in `readRawSamples`. The length of a source that is read in part is not counted. */
export function readRawFile(
  file: LocalFile,
  probed: ProbedSource,
  pcm: PcmShape,
  { span: { from, to }, maxDurationMs }: RawFileOptions,
): AudibleSamples | undefined {
  const { rawPcm } = probed;
  if (rawPcm === undefined) return undefined;
  const skippedBytes = from === 0 ? 0 : rawPcm.startByte + from * frameBytes(pcm);
  const endByte = rawPcm.startByte + to * frameBytes(pcm);
  const { chunks, memory } = createLocalFileReader(
    { ...file, sizeBytes: Math.min(file.sizeBytes, endByte) },
    skippedBytes,
  );
  const rest = {
    ...probed,
    rawPcm: {
      ...rawPcm,
      startByte: Math.max(0, rawPcm.startByte - skippedBytes),
      endByte: rawPcm.endByte - skippedBytes,
    },
  };
  const samples = readRawSamples(chunks(), rest, pcm, {
    sizeBytes: file.sizeBytes - skippedBytes,
    maxDurationMs,
    free: ({ buffer }) => memory.recycle(buffer),
  });
  const isPart = from > 0 || to < Number.POSITIVE_INFINITY;
  return samples && isPart ? { ...samples, sourceSampleCount: () => Number.NaN } : samples;
}
