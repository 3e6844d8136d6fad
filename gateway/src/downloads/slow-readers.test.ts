/** How much of the process's memory callers use who read nothing, or a byte now and then. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { signLink } from '@audiosplit/chassis/secrets/signed-url';
import { completed } from '../routes/split-jobs.fixture.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const READERS = 40;
const MOST_HELD_BYTES = 256 * 1024;
/** More than the machine's socket buffers. */
const FILE_BYTES = 16 * 1024 * 1024;
const KEY = 'jobs/job_1/1/0.ogg';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in buffers, once the sockets are full and nothing more moves. */
async function settledBytes(): Promise<number> {
  let [last, held] = [-1, 0];
  while (held !== last) {
    last = held;
    await sleep(200);
    collectGarbage();
    held = process.memoryUsage().arrayBuffers;
  }
  return held;
}

async function start() {
  const segments = [{ index: 0, objectKey: KEY, fileName: 'a.ogg', sizeBytes: BigInt(FILE_BYTES) }];
  const gateway = await startTestGateway({
    services: { jobs: { getJob: () => ({ job: { ...completed, segments } }) } },
  });
  const block = Buffer.alloc(FILE_BYTES / 16);
  const body = Readable.from(Array.from({ length: 16 }, () => block));
  await gateway.store.put(KEY, body, { contentType: 'audio/ogg' });
  return gateway;
}

/** A connection that reads nothing, not even into its own buffer. */
async function openReader(gateway: TestGateway, head: string): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const socket = new Socket();
  socket.pause();
  socket.connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET ${head}\r\nHost: x\r\n\r\n`);
  return socket;
}

for (const what of ['a download', 'an archive']) {
  // Covers B-9.4
  test(`a client of ${what} that reads nothing uses at most 256 KiB of the process`, async (t) => {
    await using gateway = await start();
    const link = signLink(
      { method: 'GET', path: `/downloads/${KEY}`, params: { name: 'a.ogg' } },
      new Date(gateway.clock().getTime() + 3_600_000),
      gateway.downloadSecret,
    );
    const head =
      what === 'a download'
        ? `${link} HTTP/1.1`
        : `/api/v1/splits/job_1/archive HTTP/1.1\r\nX-API-Key: ${gateway.newKey().secret}`;
    const first = await openReader(gateway, head);
    const before = await settledBytes();
    const readers = [first];
    for (let count = 0; count < READERS; count++) readers.push(await openReader(gateway, head));
    const each = ((await settledBytes()) - before) / READERS;
    t.diagnostic(`${Math.round(each)} bytes each`);
    for (const reader of readers) reader.destroy();
    assert.ok(each > 0 && each <= MOST_HELD_BYTES, `${Math.round(each)} bytes each`);
  });
}
