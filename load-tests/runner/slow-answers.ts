/** Serves sources that trickle, and sends uploads, which may stall. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { STALL_SECONDS } from '../profiles/journeys.ts';

const SOURCE_BYTES = 10_000_000;
/** An engine begins with them, and then starves. */
const FAST_BYTES = 1_500_000;
const SAMPLE = new URL('../../deploy/embedded/samples/tour.mp3', import.meta.url);
/** Just above the lowest speed that an installation accepts, 1 KiB a second. */
const TRICKLE = { bytes: 220, everyMs: 200 };
/** Of an upload; one that stalls announces more. */
const UPLOAD_BYTES = 200_000;
const STALLED_BYTES = 250 * UPLOAD_BYTES;

export async function trickle({ method }: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => undefined);
  response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': SOURCE_BYTES });
  if (method === 'HEAD') return void response.end();
  const audio = await readFile(SAMPLE);
  for (let sent = 0; sent < FAST_BYTES; sent += audio.length) response.write(audio);
  for (let at = 0; !response.destroyed; at = (at + TRICKLE.bytes) % audio.length) {
    response.write(audio.subarray(at, at + TRICKLE.bytes));
    await sleep(TRICKLE.everyMs);
  }
}

/** Responds when the upload is complete, or has been broken off after it has stalled. */
export async function sendUpload(
  request: IncomingMessage,
  response: ServerResponse,
  stalls: boolean,
): Promise<void> {
  const { uploadUrl } = (await json(request)) as { readonly uploadUrl: string };
  const { hostname, port, pathname, search } = new URL(uploadUrl);
  const socket = connect(Number(port || 80), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `PUT ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${stalls ? STALLED_BYTES : UPLOAD_BYTES}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(UPLOAD_BYTES));
  if (stalls) await sleep(STALL_SECONDS * 1_000);
  else await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => undefined);
  socket.destroy();
  response.writeHead(204).end();
}
