/** Serves the sources of the jobs, slowly on purpose, so that whatever breaks finds jobs under way. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type SourceName = 'tour.mp3' | 'long.wav';

export interface SourceServer extends AsyncDisposable {
  /** Of a source that comes in about `paceMs`. */
  url(name: SourceName, paceMs: number): string;
}

const SAMPLES = resolve(import.meta.dirname, '../../../deploy/embedded/samples');
const PIECES = 20;
/** Mono of 16 bits at 8 kHz: long and yet little work. */
const LONG = { seconds: 1_800, rateHz: 8_000, bytesPerSample: 2 } as const;
const WAV_HEADER_BYTES = 44;

export async function startSourceServer(): Promise<SourceServer> {
  const sources: Readonly<Record<SourceName, { readonly type: string; readonly bytes: Buffer }>> = {
    'tour.mp3': { type: 'audio/mpeg', bytes: readFileSync(join(SAMPLES, 'tour.mp3')) },
    'long.wav': { type: 'audio/wav', bytes: makeLongWav() },
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { type, bytes } = sources[pathname.slice(1) as SourceName];
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length });
    if (request.method === 'HEAD') response.end();
    else void send(response, bytes, Number(searchParams.get('pace')));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a TCP server has a TCP address');
  return {
    url: (name, paceMs) => `http://127.0.0.1:${address.port}/${name}?pace=${paceMs}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function send(response: ServerResponse, bytes: Buffer, paceMs: number): Promise<void> {
  response.on('error', () => undefined);
  const pieceBytes = Math.ceil(bytes.length / PIECES);
  for (let at = 0; at < bytes.length && !response.destroyed; at += pieceBytes) {
    response.write(bytes.subarray(at, at + pieceBytes));
    if (paceMs > 0) await sleep(paceMs / PIECES);
  }
  response.end();
}

/** A tone that rises, so that no two segments are alike. */
function makeLongWav(): Buffer {
  const { seconds, rateHz, bytesPerSample } = LONG;
  const sampleCount = seconds * rateHz;
  const dataBytes = sampleCount * bytesPerSample;
  const wav = Buffer.alloc(WAV_HEADER_BYTES + dataBytes);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rateHz, 24);
  wav.writeUInt32LE(rateHz * bytesPerSample, 28);
  wav.writeUInt16LE(bytesPerSample, 32);
  wav.writeUInt16LE(bytesPerSample * 8, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(dataBytes, 40);
  let phase = 0;
  for (let n = 0; n < sampleCount; n += 1) {
    phase += (2 * Math.PI * (200 + n / rateHz)) / rateHz;
    wav.writeInt16LE(Math.round(8_000 * Math.sin(phase)), WAV_HEADER_BYTES + n * bytesPerSample);
  }
  return wav;
}
