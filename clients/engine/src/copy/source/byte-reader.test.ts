import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inReusedMemory } from '../testing/reused-memory.ts';
import { inChunks } from '../testing/split-buffer.ts';
import { openByteReader } from './byte-reader.ts';

const BYTES = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));

test('windows join to the source, for any chunks', async () => {
  const consumed: number[] = [];
  const { signal } = new AbortController();
  await using reader = openByteReader(
    inChunks(BYTES, (index) => 1 + (index % 7_000)),
    { signal, onBytes: (count) => consumed.push(count) },
  );
  assert.equal(await reader.fill(10), true);
  const early = reader.window.subarray(0, 10);
  reader.consume(10);
  assert.equal(await reader.skip(400_000), true);
  assert.equal(reader.position, 400_010);
  assert.equal(await reader.fill(200_000), false);
  assert.ok(reader.window.equals(BYTES.subarray(400_010)));
  assert.ok(early.equals(BYTES.subarray(0, 10)));
  assert.equal(await reader.skip(200_000), false);
  assert.equal(reader.position, BYTES.length);
  assert.equal(consumed.at(-1), BYTES.length);
  assert.deepEqual(
    consumed,
    consumed.toSorted((a, b) => a - b),
  );
});

test('an abort ends the wait for a stalled source, and leaves it closed', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  let isClosed = false;
  const stalled: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => undefined),
      return: async () => {
        isClosed = true;
        return { done: true, value: undefined };
      },
    }),
  };
  {
    await using reader = openByteReader(stalled, { signal: controller.signal, onBytes: () => undefined });
    const filling = reader.fill(1);
    controller.abort(reason);
    await assert.rejects(filling, reason);
  }
  assert.equal(isClosed, true);
});

test("a source's own failure is passed on", async () => {
  const failure = new Error('connection lost');
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield BYTES.subarray(0, 10);
    throw failure;
  }
  const { signal } = new AbortController();
  await using reader = openByteReader(failing(), { signal, onBytes: () => undefined });
  await assert.rejects(reader.fill(20), failure);
});

test('windows join up across large chunks, and views stay valid', async () => {
  const { signal } = new AbortController();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 500, max: 150_000 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 8 }),
      async (chunkSizes, wantedSizes) => {
        const chunkBytes = (index: number): number => chunkSizes[index % chunkSizes.length] ?? 1;
        await using reader = openByteReader(inChunks(BYTES, chunkBytes), {
          signal,
          onBytes: () => undefined,
        });
        const views: Buffer[] = [];
        for (let index = 0; ; index++) {
          const wanted = wantedSizes[index % wantedSizes.length] ?? 1;
          const isThere = await reader.fill(wanted);
          assert.equal(isThere, reader.window.length >= wanted);
          if (!isThere) break;
          // Most windows leave a remainder, as a frame across two chunks does.
          const taken = Math.max(1, reader.window.length - (index % 3) * 700);
          views.push(reader.window.subarray(0, taken));
          reader.consume(taken);
        }
        assert.equal(reader.ended, true);
        assert.ok(Buffer.concat([...views, reader.window]).equals(BYTES));
      },
    ),
    { numRuns: 30 },
  );
});

test('returned memory is reused, and views of unreleased memory stay valid', async () => {
  const { signal } = new AbortController();
  const sizes = fc.array(fc.integer({ min: 500, max: 150_000 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      sizes,
      sizes,
      fc.nat(40_000),
      fc.nat(3),
      async (chunkSizes, wantedSizes, headroom, lag) => {
        const chunkBytes = (index: number): number => chunkSizes[index % chunkSizes.length] ?? 1;
        const { chunks, memory } = inReusedMemory(inChunks(BYTES, chunkBytes), headroom);
        await using reader = openByteReader(chunks, { signal, onBytes: () => undefined, memory });
        const views: { readonly start: number; readonly bytes: Buffer }[] = [];
        for (let index = 0; ; index++) {
          const isThere = await reader.fill(wantedSizes[index % wantedSizes.length] ?? 1);
          const taken = isThere
            ? Math.max(1, reader.window.length - (index % 3) * 700)
            : reader.window.length;
          views.push({ start: reader.position, bytes: reader.window.subarray(0, taken) });
          reader.consume(taken);
          if (views.length > lag) views.shift();
          reader.releaseBefore(views[0]?.start ?? reader.position);
          for (const { start, bytes } of views) {
            assert.ok(BYTES.subarray(start, start + bytes.length).equals(bytes));
          }
          if (!isThere) break;
        }
        assert.equal(reader.position, BYTES.length);
      },
    ),
    { numRuns: 30 },
  );
});

test('released memory is returned once', async () => {
  const { signal } = new AbortController();
  const { chunks, memory, recycledCount } = inReusedMemory(
    inChunks(BYTES, () => 100_000),
    1_000,
  );
  await using reader = openByteReader(chunks, { signal, onBytes: () => undefined, memory });
  for (let chunkCount = 1; await reader.fill(1); chunkCount++) {
    reader.releaseBefore(Number.POSITIVE_INFINITY);
    assert.equal(recycledCount(), chunkCount - 1);
    reader.consume(reader.window.length);
    for (const _ of [1, 2]) reader.releaseBefore(reader.position);
    assert.equal(recycledCount(), chunkCount);
  }
  assert.equal(recycledCount(), BYTES.length / 100_000);
});

test('a large chunk becomes the window without a copy', async () => {
  const { signal } = new AbortController();
  const chunks = inChunks(BYTES, () => 100_000);
  await using reader = openByteReader(chunks, { signal, onBytes: () => undefined });
  await reader.fill(1);
  assert.equal(reader.window.buffer, BYTES.buffer);
  reader.consume(99_000);
  await reader.fill(1_500);
  reader.consume(1_500);
  assert.ok(await reader.fill(50_000));
  assert.equal(reader.window.buffer, BYTES.buffer);
  assert.equal(reader.position, 100_500);
});
