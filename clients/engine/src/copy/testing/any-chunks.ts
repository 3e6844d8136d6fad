import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Cut } from '../../cuts/cut.ts';
import type { CopyContainer } from '../copy-splitter.ts';
import { splitBuffer } from './split-buffer.ts';

interface AnyChunksOptions {
  readonly container: CopyContainer;
  readonly source: Uint8Array;
  readonly cut: Cut;
  readonly maxChunkBytes?: number;
  readonly numRuns?: number;
}

/** Splits a source that arrives in chunks of various sizes: the result and the files are always the same. */
export async function assertAnyChunks(options: AnyChunksOptions): Promise<void> {
  const { container, source, cut, maxChunkBytes = 5_000, numRuns = 15 } = options;
  const expected = await splitBuffer(container, source, cut);
  const sizes = fc.array(fc.integer({ min: 1, max: maxChunkBytes }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(sizes, async (chunkSizes) => {
      const chunkBytes = (index: number): number => chunkSizes[index % chunkSizes.length] ?? 1;
      const { files, result } = await splitBuffer(container, source, cut, { chunkBytes });
      assert.deepEqual(result, expected.result);
      assert.deepEqual(files, expected.files);
    }),
    { numRuns },
  );
}
