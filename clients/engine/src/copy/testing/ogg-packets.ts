import { LAST, parsePages } from '../ogg/testing/pages.ts';

export interface OggContent {
  readonly packets: readonly Buffer[];
  /** Of the last page. */
  readonly lastGranule: number;
}

/** The packets of an Ogg file of one stream, headers included. */
export function oggContent(file: Buffer): OggContent {
  const packets: Buffer[] = [];
  let unfinished: Buffer[] = [];
  let lastGranule = 0;
  for (const { lacing, body, granulePosition, flags } of parsePages(file)) {
    let at = 0;
    for (const value of lacing) {
      unfinished.push(body.subarray(at, at + value));
      at += value;
      if (value === 255) continue;
      packets.push(Buffer.concat(unfinished));
      unfinished = [];
    }
    if ((flags & LAST) !== 0) lastGranule = granulePosition;
  }
  return { packets, lastGranule };
}
