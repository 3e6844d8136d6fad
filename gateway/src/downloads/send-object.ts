import {
  InvalidObjectKeyError,
  ObjectNotFoundError,
  type ObjectStore,
  type StoredObject,
} from '@audiosplit/chassis/object-store/object-store';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors/api-error.ts';
import { parseByteRange } from './byte-range.ts';

/**
 * Answers GET or HEAD with a stored object, whole or the one range asked for, as a file to be saved. The
 * bytes stream at the pace of the reader; the store's stream is closed when the reader goes away.
 */
export async function sendObject(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  file: { readonly objectKey: string; readonly name: string },
): Promise<FastifyReply> {
  const { objectKey, name } = file;
  try {
    const { range: rangeHeader, 'if-range': ifRange } = request.headers;
    if (request.method === 'GET' && rangeHeader === undefined) {
      const object = await store.get(objectKey);
      return reply
        .headers(describe(object, name))
        .header('content-length', object.sizeBytes)
        .send(object.body);
    }

    const stored = await store.head(objectKey);
    reply.headers(describe(stored, name));
    // RFC 9110, section 14.2: Range means something with GET only.
    if (request.method === 'HEAD') return reply.header('content-length', stored.sizeBytes).send();

    const isSameFile = ifRange === undefined || ifRange === etagOf(stored);
    const range = isSameFile ? parseByteRange(rangeHeader, stored.sizeBytes) : 'whole';
    if (range === 'whole') {
      const { body } = await store.get(objectKey);
      return reply.header('content-length', stored.sizeBytes).send(body);
    }
    if (range === 'unsatisfiable') {
      throw new ApiError('RANGE_NOT_SATISFIABLE', `The file has ${stored.sizeBytes} bytes.`, {
        headers: { 'content-range': `bytes */${stored.sizeBytes}` },
      });
    }
    const { body } = await store.get(objectKey, range);
    return reply
      .code(206)
      .header('content-range', `bytes ${range.firstByte}-${range.lastByte}/${stored.sizeBytes}`)
      .header('content-length', range.lastByte - range.firstByte + 1)
      .send(body);
  } catch (error) {
    const isMissing = error instanceof ObjectNotFoundError || error instanceof InvalidObjectKeyError;
    throw isMissing ? new ApiError('NOT_FOUND', 'This file does not exist any more.') : error;
  }
}

function describe(object: StoredObject, name: string): Record<string, string> {
  return {
    'content-type': object.contentType,
    'content-disposition': contentDisposition(name),
    'accept-ranges': 'bytes',
    etag: etagOf(object),
    'last-modified': object.modifiedAt.toUTCString(),
    'cache-control': 'private, no-transform',
    // Whatever callers have stored, a browser runs none of it in our name.
    'content-security-policy': "default-src 'none'; sandbox",
  };
}

/** Objects are replaced whole, so size and time tell two of them apart. */
function etagOf({ sizeBytes, modifiedAt }: StoredObject): string {
  return `"${sizeBytes.toString(36)}-${modifiedAt.getTime().toString(36)}"`;
}
