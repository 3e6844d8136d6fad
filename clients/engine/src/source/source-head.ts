const FIRST_LOOK_BYTES = 10;

/**
 * The beginning of a source, as much as `wantedBytes` asks for when it is shown what there is; less where the source
 * ends before that.
 *
 * Tags may be chained, so the answer can grow with every look, and each look puts the chunks together anew. After the
 * one that the first bytes ask for, each is at twice as many as the one before: the work stays in proportion to the
 * head's length.
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

/** A source whose head has been taken, from its first byte on. */
export async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
