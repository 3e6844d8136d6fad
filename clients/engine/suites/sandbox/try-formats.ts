/**
 * Splits each source twice, with ffmpeg in the sandbox and with DECODER_SANDBOX=off, and prints what came of it. Its one
 * argument is FormatOptions, as JSON. A script of its own: see `stdin-script.ts`.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtempDisposable, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as BinaryModule from '../../src/ffmpeg/binary.ts';
import type { OutputFormat } from '../../src/formats/formats.ts';
import type * as FindSandboxModule from '../../src/sandbox/find-sandbox.ts';
import type { SandboxLevel } from '../../src/sandbox/sandbox.ts';
import type * as SplitModule from '../../src/split-audio.ts';
import type { ScriptOptions } from './stdin-script.ts';

export interface FormatOptions extends ScriptOptions {
  /** Absent: the one of the splitter there. */
  readonly ffmpegPath?: string;
  readonly cases: readonly FormatCase[];
}

export interface FormatCase {
  readonly name: string;
  /** In base64. */
  readonly source: string;
  /** One that the source cannot be copied to. */
  readonly outputFormat?: OutputFormat;
}

export interface FormatReport {
  readonly level: SandboxLevel;
  readonly shortfall?: string | undefined;
  readonly version: string;
  readonly outcomes: readonly FormatOutcome[];
}

export interface FormatOutcome {
  readonly name: string;
  /** The kind, the size and the digest of each segment, or how the split failed. */
  readonly confined: readonly string[] | string;
  readonly unconfined: readonly string[] | string;
}

const options: FormatOptions = JSON.parse(process.argv[2] ?? '');
process.stdout.write(`${JSON.stringify(await tryFormats())}\n`);

async function tryFormats(): Promise<FormatReport> {
  const moduleOf = (name: string) => import(join(options.modules, `${name}${options.extension}`));
  const { checkFfmpeg, resolveFfmpegPath } = (await moduleOf('ffmpeg/binary')) as typeof BinaryModule;
  const { openSandbox } = (await moduleOf('sandbox/find-sandbox')) as typeof FindSandboxModule;
  const { splitAudio } = (await moduleOf('split-audio')) as typeof SplitModule;

  const ffmpegPath = await resolveFfmpegPath(options.ffmpegPath ?? process.env.FFMPEG_PATH);
  const { version } = await checkFfmpeg(ffmpegPath);
  const sandbox = await openSandbox('preferred', ffmpegPath);
  const off = await openSandbox('off', ffmpegPath);
  await using folder = await mkdtempDisposable(join(options.folder, 'formats-'));

  async function segmentsOf(
    { source, outputFormat }: FormatCase,
    split: { readonly sandbox: typeof sandbox; readonly scratchDir: string },
  ): Promise<readonly string[] | string> {
    const bytes = Buffer.from(source, 'base64');
    const segments: string[] = [];
    await mkdir(split.scratchDir);
    try {
      await splitAudio({
        ...split,
        source: inOneChunk(bytes),
        sourceSizeBytes: bytes.length,
        cut: { mode: 'duration', segmentDurationSeconds: 0.25 },
        ...(outputFormat === undefined ? {} : { outputFormat }),
        ffmpegPath,
        signal: AbortSignal.timeout(30_000),
        onProgress: () => undefined,
        onSegment: async ({ path, extension, sizeBytes }) => {
          const digest = createHash('sha256')
            .update(await readFile(path))
            .digest('hex');
          segments.push(`${extension}, ${sizeBytes} bytes, ${digest}`);
        },
      });
      return segments;
    } catch (error) {
      const { message, cause } = error as Error;
      return [message, ...(cause instanceof Error ? [cause.message, JSON.stringify(cause)] : [])].join(': ');
    }
  }

  const outcomes: FormatOutcome[] = [];
  for (const [at, each] of options.cases.entries()) {
    outcomes.push({
      name: each.name,
      confined: await segmentsOf(each, { sandbox, scratchDir: join(folder.path, `confined-${at}`) }),
      unconfined: await segmentsOf(each, { sandbox: off, scratchDir: join(folder.path, `unconfined-${at}`) }),
    });
  }
  const { level, shortfall } = sandbox;
  return { level, shortfall, version, outcomes };
}

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
