import type { ChunkMemory } from '../../local-file.ts';

export interface ReusedChunks {
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly memory: ChunkMemory;
  /** How many chunks have been given back. */
  recycledCount(): number;
  /** How many chunks were out at once, at most. */
  mostLent(): number;
}

const POISON = 0xee;
/** Smaller ones are gathered by who reads them, that is copied: memory of their own costs much and shows nothing. */
const MIN_REUSED_BYTES = 64;

/**
 * The same chunks, each but for the smallest in memory of its own that is spoilt as soon as it is given back: whoever still looks at it
 * sees something else than the source.
 */
export function inReusedMemory(source: AsyncIterable<Uint8Array>, headroomBytes: number): ReusedChunks {
  const lent = new WeakSet<ArrayBufferLike>();
  let lentCount = 0;
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
      lentCount += 1;
      mostLent = Math.max(mostLent, lentCount - recycledCount);
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
