import type { ChunkMemory } from '../../source/local-file.ts';

interface ReusedChunks {
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly memory: ChunkMemory;
  /** The number of chunks released so far. */
  recycledCount(): number;
  /** The maximum number of chunks that were held at once. */
  mostLent(): number;
}

const POISON = 0xee;
/**
 * The reader copies smaller chunks together; separate memory for them would be expensive and show nothing.
 */
const MIN_REUSED_BYTES = 64;

/**
 * The same chunks, each except the smallest in memory of its own. That memory is overwritten as soon as it is
 * released, so that a splitter that still reads it produces wrong bytes.
 */
export function inReusedMemory(source: AsyncIterable<Uint8Array>, headroomBytes: number): ReusedChunks {
  // Kept here, so that no buffer is collected before the splitter releases it: the reader could not return it
  // then, and it would count as held for ever.
  const lent = new Set<ArrayBufferLike>();
  let recycledCount = 0;
  let mostLent = 0;

  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const part of source) {
      if (part.length < MIN_REUSED_BYTES) {
        yield part;
        continue;
      }
      const buffer = new ArrayBuffer(headroomBytes + part.length);
      const chunk = new Uint8Array(buffer, headroomBytes);
      chunk.set(part);
      lent.add(buffer);
      mostLent = Math.max(mostLent, lent.size);
      yield chunk;
    }
  }

  return {
    chunks: chunks(),
    memory: {
      headroomBytes: (buffer) => (lent.has(buffer) ? headroomBytes : undefined),
      recycle(buffer) {
        if (!lent.delete(buffer)) throw new Error('memory was given back that was not lent');
        new Uint8Array(buffer).fill(POISON);
        recycledCount += 1;
      },
    },
    recycledCount: () => recycledCount,
    mostLent: () => mostLent,
  };
}
