/** Serves sources that trickle, and sends uploads, which may stall. */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { trickle } from '../../tests/harness/servers/trickle.ts';
import { STALL_SECONDS } from '../profiles/journeys.ts';

/**
 * An engine begins with what is sent at once, and then starves: the rest arrives just above the lowest speed that an
 * installation accepts, 1 KiB a second.
 */
const TRICKLE = { sizeBytes: 10_000_000, fastBytes: 1_500_000, bytes: 220, everyMs: 200 };
/** Of an upload; one that stalls announces more. */
const UPLOAD_BYTES = 200_000;
const STALLED_BYTES = 250 * UPLOAD_BYTES;

export async function serveTrickle({ method }: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = { 'content-type': 'audio/mpeg', 'content-length': TRICKLE.sizeBytes };
  if (method === 'HEAD') return void response.writeHead(200, headers).end();
  await trickle(response, TRICKLE);
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
