/** Audio made and judged with the ffmpeg build that npm brings: the product's own code has no part in it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Segment } from '@audiosplit/client';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { download, uploadFile } from './api.ts';

/** That of every source in these tests, so that a sample more or less shows. */
const JUDGED_RATE_HZ = 44_100;

/** WAV says how many channels there are, and not where they stand. */
const HARMLESS = /Guessed Channel Layout/;

/**
 * White noise as a WAV file, mono: nothing compresses it, nothing in it repeats. Resolves with what to give a job as its
 * sourceUrl.
 */
export async function uploadNoise(product: Product, seconds: number): Promise<string> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'noise.wav');
  const source = `anoisesrc=duration=${seconds}:sample_rate=${JUDGED_RATE_HZ}:amplitude=0.3:seed=7`;
  await runFfmpeg(['-y', '-f', 'lavfi', '-i', source, '-ac', '1', path], 'error');
  return await uploadFile(product, path);
}

/** Decoded seconds of all segments together. */
export async function measureSegments(segments: readonly Segment[]): Promise<number> {
  await using folder = await temporaryFolder();
  let seconds = 0;
  for (const { index, downloadUrl, size } of segments) {
    const bytes = await download(downloadUrl);
    assert.equal(bytes.length, size);
    const path = join(folder.path, String(index));
    await writeFile(path, bytes);
    seconds += (await judgeAudio(path)).seconds;
  }
  return seconds;
}

/** Decodes the whole file; rejects when ffmpeg has anything to complain about. */
export async function judgeAudio(path: string) {
  const output = ['-map', '0:a:0', '-ac', '1', '-ar', String(JUDGED_RATE_HZ), '-f', 's16le', '-'];
  const decoded = await runFfmpeg(['-xerror', '-i', path, ...output], 'warning');
  const complaints = decoded.stderr.split('\n').filter((text) => text !== '' && !HARMLESS.test(text));
  if (complaints.length > 0) throw new Error(`ffmpeg says of ${path}:\n${complaints.join('\n')}`);
  const { stderr } = await runFfmpeg(['-i', path, '-t', '0', '-f', 'null', '-'], 'info');
  const codec = /Stream #0:\d.*?: Audio: (\w+)/.exec(stderr)?.[1];
  if (codec === undefined) throw new Error(`ffmpeg finds no audio in ${path}:\n${stderr}`);
  return { seconds: decoded.stdoutBytes / 2 / JUDGED_RATE_HZ, codec };
}

async function runFfmpeg(args: readonly string[], logLevel: 'error' | 'warning' | 'info') {
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
