import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOUR_SAMPLE_PATH } from './sources.ts';

interface Trickle {
  /** As announced to the client. */
  readonly sizeBytes: number;
  /** Sent at once. */
  readonly fastBytes: number;
  /** At a time, afterwards. */
  readonly bytes: number;
  readonly everyMs: number;
}

/** Sends the sample, over and over, until `sizeBytes` are sent or the client has gone. */
export async function trickle(
  response: ServerResponse,
  { sizeBytes, fastBytes, bytes, everyMs }: Trickle,
): Promise<void> {
  const audio = readFileSync(TOUR_SAMPLE_PATH);
  response.on('error', () => undefined);
  response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': sizeBytes });
  let sent = 0;
  const send = (most: number) => {
    const at = sent % audio.length;
    const chunk = audio.subarray(at, at + Math.min(most, sizeBytes - sent));
    response.write(chunk);
    sent += chunk.length;
  };
  while (sent < fastBytes) send(fastBytes - sent);
  while (sent < sizeBytes && !response.destroyed) {
    send(bytes);
    await sleep(everyMs);
  }
  response.end();
}
