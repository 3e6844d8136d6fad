/** What all steps of a planned split share. */
import type { CutRequest } from '@audiosplit/proto/cut';
import type { SourceFacts } from '../cuts/planned/plan-pieces.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { SplitOptions } from '../media.ts';
import type { Progress } from '../progress.ts';
import type { SourceAccess } from '../source/source-access.ts';
import { keepSource, type PlannedSource, withOneTrack } from './planned-source.ts';
import { type EncodedOutput, findRoute, type Route } from './route.ts';
import { createSourceFacts } from './source-facts.ts';

export type PlannedSplitOptions = Omit<SplitOptions, 'cut'> & { readonly request: CutRequest };

export interface PlannedSplit {
  readonly options: PlannedSplitOptions;
  readonly request: CutRequest;
  readonly runtime: FfmpegRuntime;
  readonly source: PlannedSource;
  readonly output: EncodedOutput;
  readonly route: Route;
  readonly totalSeconds: number;
  readonly facts: SourceFacts;
}

export async function preparePlannedSplit(
  options: PlannedSplitOptions,
  runtime: FfmpegRuntime,
  access: SourceAccess,
  chunks: AsyncIterable<Uint8Array>,
  report: ReturnType<Progress['span']>,
): Promise<PlannedSplit> {
  const { request, outputFormat } = options;
  const { encoding, preset, audioTrack } = request;
  const kept = await keepSource(runtime.workDir, access, chunks, report);
  const source = audioTrack === undefined ? kept : await withOneTrack(runtime, kept, audioTrack);
  const output = { outputFormat, encoding, preset };
  const route = await findRoute(runtime, source, output);
  const totalSeconds = route.length.sampleCount / route.length.sampleRateHz;
  const facts = createSourceFacts(runtime, source, route, totalSeconds);
  return { options, request, runtime, source, output, route, totalSeconds, facts };
}
