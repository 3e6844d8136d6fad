/** How the pieces of a plan are made, and how long the source is: what the plan begins with. */
import type { ConvertOptions } from '../convert/conversion.ts';
import { countSamples, probeSource } from '../convert/input/probe.ts';
import type { ProbedSource } from '../convert/input/probed-source.ts';
import { CopyNotPossibleError, type CopySplitter } from '../copy/copy-splitter.ts';
import { copyRoute } from '../copy-route.ts';
import type { SizeModel } from '../cuts/planned/caps.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { Encoding } from '../formats/encoding.ts';
import type { OutputFormat, PcmShape } from '../formats/formats.ts';
import { measureLength } from './copy-passes.ts';
import { encodedShape, sizesOf } from './encoded-shape.ts';
import type { PlannedSource } from './planned-source.ts';

interface SourceLength {
  readonly sampleCount: number;
  readonly sampleRateHz: number;
}

export interface CopiedRoute {
  readonly kind: 'copy';
  readonly splitter: CopySplitter;
  /** The same without checking the sound: for sizes. */
  readonly measuring: CopySplitter;
  readonly outputFormat: OutputFormat;
  readonly length: SourceLength;
}

export interface EncodedRoute {
  readonly kind: 'encode';
  readonly probed: ProbedSource;
  readonly shape: { readonly encoding: Encoding; readonly pcm: PcmShape };
  /** `areExact`: no file is larger than the model says; otherwise it is about as large. */
  readonly sizes: { readonly model: SizeModel; readonly areExact: boolean };
  readonly outputFormat: OutputFormat;
  readonly length: SourceLength;
}

export type Route = CopiedRoute | EncodedRoute;

export type EncodedOutput = Pick<ConvertOptions, 'outputFormat' | 'encoding' | 'preset' | 'gainDb'>;

/** Throws UNSUPPORTED_MEDIA, ENCODING_UNSUPPORTED. */
export async function findRoute(
  runtime: FfmpegRuntime,
  source: PlannedSource,
  output: EncodedOutput,
): Promise<Route> {
  const { outputFormat, encoding, preset } = output;
  if (encoding !== undefined || preset !== undefined) return await encodedRoute(runtime, source, output);
  const wanted = outputFormat === undefined ? {} : { outputFormat };
  const copied = copyRoute(source.sniffed, wanted);
  const measuring = copyRoute(source.sniffed, { ...wanted, audioMd5: false });
  if (copied === undefined || measuring === undefined) return await encodedRoute(runtime, source, output);
  try {
    const measured = await measureLength({ splitter: measuring.splitter, file: source.file, runtime });
    const { sourceSampleCount, sourceSampleRateHz } = measured;
    const length = { sampleCount: sourceSampleCount, sampleRateHz: sourceSampleRateHz };
    return { kind: 'copy', ...copied, measuring: measuring.splitter, length };
  } catch (error) {
    if (!(error instanceof CopyNotPossibleError)) throw error;
    return await encodedRoute(runtime, source, output);
  }
}

async function encodedRoute(
  runtime: FfmpegRuntime,
  { file }: PlannedSource,
  output: EncodedOutput,
): Promise<EncodedRoute> {
  const probed = await probeSource(runtime, file);
  const shape = encodedShape(output, file.container, probed);
  const sizes = await sizesOf(shape, file, probed);
  // A header may claim any length: what the plan counts on is decoded.
  const sampleCount = await countSamples(runtime, file, probed, undefined);
  const length = { sampleCount, sampleRateHz: probed.sampleRateHz };
  return { kind: 'encode', probed, shape, sizes, outputFormat: shape.encoding.outputFormat, length };
}
