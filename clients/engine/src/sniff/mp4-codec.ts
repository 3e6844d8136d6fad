interface Mp4Tracks {
  /** Of the first audio track. */
  readonly codec: string | undefined;
  readonly hasPictures: boolean;
}

/** What an mp4 contains according to its first bytes: neither if the index is beyond them. */
export function mp4Tracks(head: Uint8Array): Mp4Tracks {
  const moov = child(head, 'moov');
  let codec: string | undefined;
  let hasPictures = false;
  if (moov === undefined) return { codec, hasPictures };
  for (const trak of children(moov, 'trak')) {
    const mdia = child(trak, 'mdia');
    const handler = mdia && child(mdia, 'hdlr');
    const kind = handler && ascii(handler, 8);
    hasPictures ||= kind === 'vide';
    if (kind !== 'soun' || mdia === undefined) continue;
    const stsd = ['minf', 'stbl', 'stsd'].reduce<Uint8Array | undefined>(
      (box, type) => box && child(box, type),
      mdia,
    );
    const entry = stsd && ascii(stsd, 12);
    if (entry !== undefined) codec ??= entry === 'mp4a' ? 'aac' : entry;
  }
  return { codec, hasPictures };
}

/** A box cut off by the end of the bytes is returned as far as it extends. */
function* children(bytes: Uint8Array, type: string): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = 0;
  while (offset + 8 <= bytes.length) {
    let size = view.getUint32(offset);
    let headerBytes = 8;
    if (size === 1 && offset + 16 <= bytes.length) {
      size = Number(view.getBigUint64(offset + 8));
      headerBytes = 16;
    }
    if (size === 0) size = bytes.length - offset;
    if (size < headerBytes) return;
    if (ascii(bytes, offset + 4) === type) yield bytes.subarray(offset + headerBytes, offset + size);
    offset += size;
  }
}

function child(bytes: Uint8Array, type: string): Uint8Array | undefined {
  return children(bytes, type).next().value ?? undefined;
}

function ascii(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}
