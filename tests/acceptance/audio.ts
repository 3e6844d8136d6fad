/** Audio generated and checked with the ffmpeg build from npm, without any of the product's own code. */
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

/** The rate of every source in these tests, so that a single missing or extra sample is visible. */
const JUDGED_RATE_HZ = 44_100;

/** WAV states the number of channels, but not their layout. */
const HARMLESS = /Guessed Channel Layout/;

/**
 * White noise as a mono WAV file: it does not compress and does not repeat. Resolves with the `sourceUrl` of
 * its upload.
 */
export async function uploadNoise(product: Product, seconds: number): Promise<string> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'noise.wav');
  const source = `anoisesrc=duration=${seconds}:sample_rate=${JUDGED_RATE_HZ}:amplitude=0.3:seed=7`;
  await runFfmpeg(['-y', '-f', 'lavfi', '-i', source, '-ac', '1', path], 'error');
  return await uploadFile(product, path);
}

/** The decoded seconds of all segments together. */
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

/** Decodes the whole file; rejects if ffmpeg reports anything. */
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
