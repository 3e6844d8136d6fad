/** Probes the source of a plan once: at the first call, for all steps that need it. */
import { probeSource } from '../convert/input/probe.ts';
import type { ProbedSource } from '../convert/input/probed-source.ts';
import { createStreamingSource } from '../convert/input/streaming-source.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { SourceContainer } from '../formats/formats.ts';
import { createLocalFileReader } from '../source/local-file.ts';
import type { PlannedSource } from './planned-source.ts';

/** Throws UNSUPPORTED_MEDIA. */
export type SourceProbe = () => Promise<ProbedSource>;

/**
 * A walk takes a fraction of the time. For these containers it gives the same length as decoding, unless they
 * are damaged.
 */
export const WALKED_CONTAINERS: ReadonlySet<SourceContainer> = new Set(['mp3', 'flac', 'wav']);

export function createSourceProbe(runtime: FfmpegRuntime, source: PlannedSource): SourceProbe {
  let probed: Promise<ProbedSource> | undefined;
  return () => {
    probed ??= probeKept(runtime, source);
    return probed;
  };
}

/** A file with holes is fed to the decoder, so that they are filled as far as it reads. */
async function probeKept(runtime: FfmpegRuntime, { file, complete }: PlannedSource): Promise<ProbedSource> {
  // Others are decoded as a whole, and an Ogg states its length at the end.
  if (complete === undefined || !WALKED_CONTAINERS.has(file.container)) {
    await complete?.();
    return await probeSource(runtime, file);
  }
  const chunks = createLocalFileReader(file).chunks();
  try {
    return await probeSource(runtime, createStreamingSource(file.container, chunks, file.sizeBytes));
  } finally {
    await chunks.return(undefined);
  }
}
