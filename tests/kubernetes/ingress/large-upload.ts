/** Uploads a file of 2 GiB through a controller, more slowly than the usual request timeout of proxies. */

import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../../harness/accounts/open-account.ts';
import { type EntryPoint, fetchBy, responseOf, sendBy } from './entry-point.ts';

const CHUNK_BYTES = 4 * 1_024 ** 2;
const CHUNKS = 512;
const FILE_BYTES = CHUNKS * CHUNK_BYTES;
/** Longer than Traefik's default of 60 s. */
const PACE_MS = 70_000;
const TAIL_BYTES = 1_024;

/** Resolves with a summary. */
export async function uploadBy(entryPoint: EntryPoint, { client }: Pick<Account, 'client'>): Promise<string> {
  const { uploadUrl, sourceUrl } = await client.createUpload({ size: FILE_BYTES, fileName: 'large.wav' });
  const startedMs = performance.now();
  const headers = { 'content-length': FILE_BYTES, 'content-type': 'audio/wav' };
  const sent = sendBy(entryPoint, uploadUrl, { method: 'PUT', headers });
  const answered = responseOf(sent);
  const body = pipeline(Readable.from(pacedChunks(startedMs)), sent);
  // A refusal arrives before the end of the body, which then breaks off.
  body.catch(() => undefined);
  const response = await answered;
  const tookSeconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  if (response.statusCode !== 204)
    throw new Error(
      `the upload is answered ${response.statusCode} after ${tookSeconds} s: ${await text(response)}`,
    );
  response.resume();
  await body;
  await assertStored(entryPoint, sourceUrl);
  return `2 GiB were stored in ${tookSeconds} s`;
}

async function assertStored(entryPoint: EntryPoint, sourceUrl: string): Promise<void> {
  const head = await fetchBy(entryPoint, sourceUrl, { method: 'HEAD' });
  head.resume();
  const stored = Number(head.headers['content-length']);
  if (stored !== FILE_BYTES) throw new Error(`${stored} of ${FILE_BYTES} bytes are stored`);
  const tail = await buffer(
    await fetchBy(entryPoint, sourceUrl, { headers: { range: `bytes=-${TAIL_BYTES}` } }),
  );
  if (!tail.equals(Buffer.alloc(TAIL_BYTES, byteOf(CHUNKS - 1))))
    throw new Error('the end of the file is not what was sent');
}

async function* pacedChunks(startedMs: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < CHUNKS; index += 1) {
    const aheadMs = startedMs + (PACE_MS * (index + 1)) / CHUNKS - performance.now();
    if (aheadMs > 0) await sleep(aheadMs);
    yield Buffer.alloc(CHUNK_BYTES, byteOf(index));
  }
}

/** The value of each byte in a chunk. */
function byteOf(index: number): number {
  return index % 251;
}
