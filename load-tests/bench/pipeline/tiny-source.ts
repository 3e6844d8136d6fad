/** A source that costs next to nothing to fetch and to split: two seconds of silence, as WAV, over HTTP. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const SAMPLE_RATE_HZ = 8_000;
const SECONDS = 2;
const BYTES_PER_SAMPLE = 2;

export interface TinySource extends AsyncDisposable {
  readonly url: string;
}

export async function serveTinySource(): Promise<TinySource> {
  const body = silence();
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/silence.wav`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** RIFF with one fmt chunk of plain PCM, one channel. */
function silence(): Buffer {
  const dataBytes = SAMPLE_RATE_HZ * SECONDS * BYTES_PER_SAMPLE;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE_HZ, 24);
  header.writeUInt32LE(SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36);
  header.writeUInt32LE(dataBytes, 40);
  return Buffer.concat([header, Buffer.alloc(dataBytes)]);
}
