/** Data shared by all steps of a planned split. */
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { checkEncoding, soundOptions } from '@audiosplit/cuts/encoding-options';
import type { SourceFacts } from '../cuts/planned/plan-pieces.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { OutputFormat } from '../formats/formats.ts';
import type { SplitOptions } from '../media.ts';
import { encodingUnsupported } from '../media-error.ts';
import type { Progress } from '../progress.ts';
import type { OpenedSource } from '../source/source-access.ts';
import { keepSource, type PlannedSource, withOneTrack } from './planned-source.ts';
import { type EncodedOutput, encodedRoute, findRoute, type Route } from './route.ts';
import { createSourceFacts } from './source-facts.ts';
import { createSourceProbe, type SourceProbe } from './source-probe.ts';
import { isFoundWithoutWalk, mayBeSparse, namesEnds } from './sparse-source.ts';

export type PlannedSplitOptions = Omit<SplitOptions, 'cut'> & { readonly request: CutRequest };

export interface PlannedSplit {
  readonly options: PlannedSplitOptions;
  readonly request: CutRequest;
  readonly runtime: FfmpegRuntime;
  readonly source: PlannedSource;
  readonly probe: SourceProbe;
  readonly output: EncodedOutput;
  readonly route: Route;
  readonly totalSeconds: number;
  readonly facts: SourceFacts;
  /** The same with the real length, if the length was a claim. */
  readonly verified: () => Promise<PlannedSplit>;
  /** The same with all pieces encoded, if copying proves impossible. */
  readonly encoded: () => Promise<PlannedSplit>;
}

interface PrepareOptions extends OpenedSource {
  readonly report: ReturnType<Progress['span']>;
}

export async function preparePlannedSplit(
  options: PlannedSplitOptions,
  runtime: FfmpegRuntime,
  { report, ...opened }: PrepareOptions,
): Promise<PlannedSplit> {
  const { request, outputFormat } = options;
  const { preset, audioTrack } = request;
  const encoding = soundOptions(request.encoding);
  const received = await keepSource(runtime, opened, {
    report,
    isSparse: (sizeBytes, sniffed) => mayBeSparse(request, options, sizeBytes, sniffed),
  });
  const kept = await walkedIfNeeded(request, received, runtime.signal);
  const source = audioTrack === undefined ? kept : await withOneTrack(runtime, kept, audioTrack);
  const output = {
    outputFormat,
    audioMd5: request.encoding?.md5 ?? false,
    ...(encoding === undefined ? {} : { encoding }),
    ...(preset === undefined ? {} : { preset }),
  };

  const probe = createSourceProbe(runtime, source);
  const shared = { runtime, source, probe, output, request };

  function splitBy(route: Route): PlannedSplit {
    if (output.audioMd5) refuseMd5(route.outputFormat);
    const totalSeconds = route.length.sampleCount / route.length.sampleRateHz;
    const facts = createSourceFacts(runtime, { source, probe, received: kept, totalSeconds });
    const encoded = async () => splitBy(await encodedRoute(shared, false));
    const verified = async () => splitBy(await findRoute(shared, false));
    return { ...shared, options, route, totalSeconds, facts, verified, encoded };
  }

  return splitBy(await findRoute(shared, true));
}

/** For a sparse file whose frames can only be found by a walk. */
async function walkedIfNeeded(
  request: CutRequest,
  source: PlannedSource,
  signal: AbortSignal,
): Promise<PlannedSource> {
  if (source.complete === undefined || (await isFoundWithoutWalk(source, signal))) return source;
  if (namesEnds(request)) return { ...source, isWalked: true };
  await source.complete();
  return source;
}

/** If the request alone does not determine the format. */
function refuseMd5(outputFormat: OutputFormat): void {
  const [fault] = checkEncoding(outputFormat, { md5: true });
  if (fault !== undefined) throw encodingUnsupported([`encoding.md5 ${fault.message}`]);
}
