import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readEvents, type ServerSentEvent } from './event-stream.ts';

async function read(chunks: readonly (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  const body = ReadableStream.from(
    chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk)),
  );
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(body, () => undefined)) events.push(event);
  return events;
}

const event = (fields: Partial<ServerSentEvent>): ServerSentEvent => ({
  type: 'message',
  data: '',
  lastEventId: '',
  retryMs: undefined,
  ...fields,
});

describe('server-sent events', () => {
  const STREAM =
    '\uFEFFretry: 2000\n\n: heartbeat\n\nid: 4\nevent: progress\ndata: {"ö": 1}\ndata:  2\n\ndata:x\n\n';
  const EXPECTED = [
    event({ type: 'progress', data: '{"ö": 1}\n 2', lastEventId: '4', retryMs: 2000 }),
    event({ data: 'x', lastEventId: '4', retryMs: 2000 }),
  ];

  for (const [name, end] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    test(`lines that end with ${name}, cut anywhere`, async () => {
      const bytes = new TextEncoder().encode(STREAM.replaceAll('\n', end));
      for (let size = 1; size <= bytes.length; size++) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        assert.deepEqual(await read(chunks), EXPECTED, `${size} bytes at a time`);
      }
    });
  }

  test('an event is delivered at once, also if its last line ends with a CR', async () => {
    let next: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        next = controller;
      },
    });
    const events = readEvents(body, () => undefined);
    const send = (text: string) => next?.enqueue(new TextEncoder().encode(text));
    send('data: a\r\r');
    assert.deepEqual((await events.next()).value, event({ data: 'a' }));
    send('\ndata: b\r\n\r');
    assert.deepEqual((await events.next()).value, event({ data: 'b' }));
    await events.return();
  });

  test('a line without an end is not buffered without limit', async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        if (sent > 64 * 1_048_576) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(97));
      },
    });
    await assert.rejects(Array.fromAsync(readEvents(body, () => undefined)), /line/);
    assert.ok(sent < 4 * 1_048_576, String(sent));
  });

  test('incomplete, unknown and empty events are skipped', async () => {
    assert.deepEqual(await read(['data: a\n']), []);
    assert.deepEqual(await read(['event: progress\n\ndata: a\n\n']), [event({ data: 'a' })]);
    assert.deepEqual(await read(['flavour: x\nretry: soon\nid: 1\0\ndata\n\n']), [event({})]);
  });

  test('every chunk counts as activity, including comments', async () => {
    let heard = 0;
    const body = ReadableStream.from(
      [':\n\n', ':\n\n', 'data: a\n\n'].map((text) => new TextEncoder().encode(text)),
    );
    for await (const { data } of readEvents(body, () => heard++)) assert.equal(data, 'a');
    assert.equal(heard, 3);
  });
});
