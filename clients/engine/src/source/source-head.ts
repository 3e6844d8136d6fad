const FIRST_LOOK_BYTES = 10;

/**
 * The beginning of a source: as much as `wantedBytes` requests when it is called with the bytes so far; less
 * if the source ends before that.
 *
 * Tags may be chained, so the requested size can grow with every call, and each call needs the chunks
 * concatenated. After the size requested for the first bytes, each call is made with twice as many bytes as
 * the previous one, so that the work stays proportional to the head's length.
 */
export async function readHead(
  source: AsyncIterator<Uint8Array>,
  wantedBytes: (head: Uint8Array) => number,
): Promise<Buffer> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  let nextLookBytes = FIRST_LOOK_BYTES;
  for (;;) {
    const next = await source.next();
    if (next.done === true) return Buffer.concat(chunks);
    chunks.push(next.value);
    length += next.value.byteLength;
    if (length < nextLookBytes) continue;
    const head = Buffer.concat(chunks);
    const wanted = wantedBytes(head);
    if (length >= wanted) return head;
    nextLookBytes = nextLookBytes === FIRST_LOOK_BYTES ? wanted : Math.max(wanted, 2 * length);
    chunks = [head];
  }
}

/** A source whose head has been read, from its first byte on. */
export async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
