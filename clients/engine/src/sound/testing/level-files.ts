/**
 * Real files for the tests of levels: their audio, the engine's description of them, and ffmpeg's own
 * measurements.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { probeSource } from '../../convert/input/probe.ts';
import type { ProbedSource } from '../../convert/input/probed-source.ts';
import { resolveFfmpegPath } from '../../ffmpeg/binary.ts';
import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import type { SourceContainer } from '../../formats/formats.ts';
import { findSandbox } from '../../sandbox/find-sandbox.ts';
import { sniff } from '../../sniff/sniff.ts';
import type { LocalFile } from '../../source/local-file.ts';
import type { Silence } from '../silence.ts';

const run = promisify(execFile);

export interface ProbedFile {
  readonly runtime: FfmpegRuntime;
  readonly file: LocalFile;
  readonly container: SourceContainer;
  readonly probed: ProbedSource;
}

export interface Probing extends AsyncDisposable {
  readonly runtime: FfmpegRuntime;
  probe(path: string): Promise<ProbedFile>;
}

/** The sources are outside of ffmpeg's working folder, as uploads are. */
export async function createProbing(ffmpegPath: string): Promise<Probing> {
  const workDir = await mkdtemp(join(tmpdir(), 'audiosplit-hearing-'));
  const runtime: FfmpegRuntime = {
    ffmpegPath,
    sandbox: await findSandbox(ffmpegPath),
    workDir,
    signal: new AbortController().signal,
    stop: () => undefined,
  };
  return {
    runtime,
    async probe(path) {
      const { size: sizeBytes } = await stat(path);
      const { container } = sniff(await readFile(path));
      const file = { path, sizeBytes };
      const probed = await probeSource(runtime, { ...file, name: path, container });
      return { runtime, file, container, probed };
    },
    [Symbol.asyncDispose]: () => rm(workDir, { recursive: true, force: true }),
  };
}

/** The silences found by ffmpeg's silencedetect; its threshold applies to single samples. */
export async function detectSilences(
  path: string,
  thresholdDbfs: number,
  minSilenceSeconds: number,
): Promise<readonly Silence[]> {
  const filter = `silencedetect=noise=${thresholdDbfs}dB:d=${minSilenceSeconds}`;
  const args = ['-nostdin', '-hide_banner', '-i', path, '-af', filter, '-f', 'null', '-'];
  const { stderr } = await run(await resolveFfmpegPath(undefined), args);
  const starts = [...stderr.matchAll(/silence_start: (-?[\d.]+)/g)].map(([, at]) => Number(at));
  const ends = [...stderr.matchAll(/silence_end: (-?[\d.]+)/g)].map(([, at]) => Number(at));
  // A silence at the end has no end in older builds.
  return starts.flatMap((startSeconds, index) => {
    const endSeconds = ends[index];
    return endSeconds === undefined ? [] : [{ startSeconds, endSeconds }];
  });
}
