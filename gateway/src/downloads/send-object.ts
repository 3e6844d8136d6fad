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
 * Sends a stored object, or the requested range of it, as an attachment. Streams at the pace of the client and closes
 * the store's stream when the client disconnects.
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
    // RFC 9110, section 14.2: Range applies to GET only.
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
    // Stored files are untrusted: a browser must not run them on this origin.
    'content-security-policy': "default-src 'none'; sandbox",
  };
}

/** Objects are only replaced as a whole, so size and time identify a version. */
function etagOf({ sizeBytes, modifiedAt }: StoredObject): string {
  return `"${sizeBytes.toString(36)}-${modifiedAt.getTime().toString(36)}"`;
}
