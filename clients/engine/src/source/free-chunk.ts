/**
 * Frees the memory of a chunk that is no longer read, if its buffer contains nothing else. The garbage
 * collector lets tens of megabytes of buffers accumulate before it looks for unused ones.
 */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  // Node 20 has no `transfer`.
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer?.(0);
}
