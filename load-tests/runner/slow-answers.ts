/** Serves sources that trickle, and uploads that stall. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SLOW_SECONDS } from '../profiles/journeys.ts';

const SOURCE_BYTES = 10_000_000;
/** Just above the lowest speed that an installation accepts, 1 KiB a second. */
const TRICKLE = { bytes: 220, everyMs: 200 };
const ANNOUNCED_BYTES = 50_000_000;
const FIRST_BYTES = 1_000_000;

export async function trickle({ method }: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => undefined);
  response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': SOURCE_BYTES });
  if (method === 'HEAD') return void response.end();
  while (!response.destroyed) {
    response.write(Buffer.alloc(TRICKLE.bytes));
    await sleep(TRICKLE.everyMs);
  }
}

/** Responds when the upload has been broken off. */
export async function stallUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { uploadUrl } = (await json(request)) as { readonly uploadUrl: string };
  const { hostname, port, pathname, search } = new URL(uploadUrl);
  const socket = connect(Number(port || 80), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `PUT ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${ANNOUNCED_BYTES}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(FIRST_BYTES));
  await sleep(SLOW_SECONDS * 1_000);
  socket.destroy();
  response.writeHead(204).end();
}
