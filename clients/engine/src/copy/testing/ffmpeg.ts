import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import type { PcmFormat } from '../../formats/formats.ts';

/** Each open file of a process takes a descriptor, and each decoder memory. */
const MAX_FILES_A_PROCESS = 50;

/** Runs ffmpeg quietly with `input` on its standard input and returns its standard output. */
export function runFfmpeg(args: readonly string[], input?: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(ffmpeg.path, ['-v', 'error', '-nostdin', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    const complaints: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
    // ffmpeg may stop reading before the input's end.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output));
      else reject(new Error(`ffmpeg ended with ${code}: ${Buffer.concat(complaints)}`));
    });
  });
}

/** Runs `use` with a new folder that is removed afterwards. */
export async function withScratchDir<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'audiosplit-copy-'));
  try {
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export interface SourceSpec {
  readonly seconds: number;
  readonly sampleRateHz: number;
  readonly channelCount: 1 | 2;
  /** Codec and format options, e.g. `['-c:a', 'libmp3lame']`. */
  readonly encode: readonly string[];
  readonly extension: string;
}

/**
 * A sweep with pulses and noise, so that bitrates vary and no two moments are alike, encoded as requested.
 */
export function createSource(spec: SourceSpec): Promise<Buffer> {
  const left = '0.3*sin(2*PI*(200+60*t)*t)*(0.2+mod(t,1))+0.1*random(0)*gt(mod(t,0.7),0.4)';
  const right = '0.3*sin(2*PI*(900-20*t)*t)+0.05*random(1)';
  const expression = spec.channelCount === 1 ? left : `${left}|${right}`;
  const lavfi = `aevalsrc=${expression}:s=${spec.sampleRateHz}:d=${spec.seconds}`;
  return withScratchDir(async (dir) => {
    const path = join(dir, `source.${spec.extension}`);
    await runFfmpeg(['-f', 'lavfi', '-i', lavfi.replaceAll(',', '\\,'), ...spec.encode, path]);
    return readFile(path);
  });
}

/** Decodes a file that is read with seeking, to interleaved samples. */
export async function decodeFile(
  path: string,
  format: PcmFormat,
  inputOptions: readonly string[] = [],
): Promise<Buffer> {
  const [decoded = Buffer.alloc(0)] = await decodeFiles([path], format, inputOptions);
  return decoded;
}

/**
 * Decodes each file separately, a few dozen in one process: starting ffmpeg costs more than decoding a
 * segment.
 */
export function decodeFiles(
  paths: readonly string[],
  format: PcmFormat,
  inputOptions: readonly string[] = [],
): Promise<Buffer[]> {
  return withScratchDir(async (dir) => {
    const decoded: Buffer[] = [];
    for (let first = 0; first < paths.length; first += MAX_FILES_A_PROCESS) {
      const some = paths.slice(first, first + MAX_FILES_A_PROCESS);
      const rawPaths = some.map((_, index) => join(dir, `${index}.raw`));
      await runFfmpeg([
        '-y',
        ...some.flatMap((path) => [...inputOptions, '-i', path]),
        ...rawPaths.flatMap((rawPath, index) => {
          return ['-map', `${index}:a:0`, '-f', format, '-c:a', `pcm_${format}`, rawPath];
        }),
      ]);
      decoded.push(...(await Promise.all(rawPaths.map((rawPath) => readFile(rawPath)))));
    }
    return decoded;
  });
}

/** The samples of all files, concatenated. */
export async function decodeJoined(
  files: readonly { readonly path: string }[],
  format: PcmFormat,
): Promise<Buffer> {
  return Buffer.concat(
    await decodeFiles(
      files.map(({ path }) => path),
      format,
    ),
  );
}
