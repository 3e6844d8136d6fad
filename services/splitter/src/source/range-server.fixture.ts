/** A server of one file that supports Range, and counts the bytes that it sends. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';

type Headers = Readonly<Record<string, string>>;

/** Its faults. Requests for parts are counted from 1. */
interface Faults {
  /** For every response. */
  readonly headers?: Headers;
  readonly rangeHeaders?: (rangeNumber: number) => Headers;
  /** Sends everything, as if it did not support ranges. */
  readonly isWhole?: () => boolean;
  /** Closes the connection after half of the part. */
  readonly isCutShort?: (rangeNumber: number) => boolean;
  readonly rangeStatus?: number;
  /** Never responds. */
  readonly isSilent?: (rangeNumber: number) => boolean;
}

export async function startRangeServer(path: string, faults: Faults = {}) {
  const { size } = await stat(path);
  let sentBytes = 0;
  let askedBytes = 0;
  const ranges: string[] = [];
  const server = await startLocalServer(async (request, response) => {
    const { socket } = request;
    const sentBefore = socket.bytesWritten;
    response.on('close', () => {
      sentBytes += socket.bytesWritten - sentBefore;
    });
    const asked = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (asked !== null) ranges.push(asked[0]);
    if (asked !== null && faults.isSilent?.(ranges.length)) return;
    if (asked !== null && faults.rangeStatus !== undefined) {
      response.writeHead(faults.rangeStatus).end();
      return;
    }
    if (asked !== null) askedBytes += Number(asked[2]) + 1 - Number(asked[1]);
    const isPart = asked !== null && faults.isWhole?.() !== true;
    const start = isPart ? Number(asked[1]) : 0;
    const end = isPart ? Number(asked[2]) : size - 1;
    response.writeHead(isPart ? 206 : 200, {
      'accept-ranges': 'bytes',
      etag: '"one"',
      'content-length': end - start + 1,
      ...(isPart ? { 'content-range': `bytes ${start}-${end}/${size}` } : {}),
      ...faults.headers,
      ...(isPart ? faults.rangeHeaders?.(ranges.length) : {}),
    });
    const isCutShort = isPart && faults.isCutShort?.(ranges.length) === true;
    const sentEnd = isCutShort ? start + Math.floor((end - start) / 2) : end;
    await pipeline(createReadStream(path, { start, end: sentEnd }), response, { end: !isCutShort }).catch(
      () => undefined,
    );
    if (isCutShort) setImmediate(() => socket.destroy());
  });
  return {
    url: `${server.origin}/talk`,
    ranges,
    /** In the requested parts. */
    askedBytes: () => askedBytes,
    /** On closed connections. */
    sentBytes: () => sentBytes,
    untilNoConnections: () => server.untilNoConnections(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
