/** Audio made and judged with the ffmpeg build that npm brings: the product's own code has no part in it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { uploadFile } from './api.ts';

/** That of every source in these tests, so that a sample more or less shows. */
const JUDGED_RATE_HZ = 44_100;

/** White noise as a WAV file, mono, 44.1 kHz: nothing compresses it, nothing in it repeats. */
async function makeNoise(path: string, seconds: number): Promise<void> {
  const source = `anoisesrc=duration=${seconds}:sample_rate=44100:amplitude=0.3:seed=7`;
  await runFfmpeg(['-y', '-f', 'lavfi', '-i', source, '-ac', '1', path], 'error');
}

/** WAV says how many channels there are, and not where they stand. */
const HARMLESS = /Guessed Channel Layout/;

/** Resolves with what to give a job as its sourceUrl. */
export async function uploadNoise(product: Product, seconds: number): Promise<string> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'noise.wav');
  await makeNoise(path, seconds);
  return await uploadFile(product, path);
}

export interface Judgement {
  /** Of the decoded samples. */
  readonly seconds: number;
  readonly codec: string;
}

/** Decodes the whole file; rejects when ffmpeg has anything to complain about. */
export async function judgeAudio(path: string): Promise<Judgement> {
  const output = ['-map', '0:a:0', '-ac', '1', '-ar', String(JUDGED_RATE_HZ), '-f', 's16le', '-'];
  const decoded = await runFfmpeg(['-xerror', '-i', path, ...output], 'warning');
  const complaints = decoded.stderr.split('\n').filter((text) => text !== '' && !HARMLESS.test(text));
  if (complaints.length > 0) throw new Error(`ffmpeg says of ${path}:\n${complaints.join('\n')}`);
  const { stderr } = await runFfmpeg(['-i', path, '-t', '0', '-f', 'null', '-'], 'info');
  const codec = /Stream #0:\d.*?: Audio: (\w+)/.exec(stderr)?.[1];
  if (codec === undefined) throw new Error(`ffmpeg finds no audio in ${path}:\n${stderr}`);
  return { seconds: decoded.stdoutBytes / 2 / JUDGED_RATE_HZ, codec };
}

async function runFfmpeg(
  args: readonly string[],
  logLevel: 'error' | 'warning' | 'info',
): Promise<{ stdoutBytes: number; stderr: string }> {
  const child = spawn(ffmpeg.path, ['-hide_banner', '-nostdin', '-v', logLevel, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdoutBytes = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdoutBytes += chunk.length;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`ffmpeg ${args.join(' ')} ended with ${code}:\n${stderr}`);
  return { stdoutBytes, stderr };
}
