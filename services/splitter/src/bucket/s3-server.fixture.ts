/**
 * A small in-memory S3 server with one bucket: objects, ranges, lists and multipart uploads, for one key
 * pair. It does not verify signatures; versitygw, which passes the same contract, does.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';

export const S3_ACCESS_KEY = 'AKIAEXAMPLEOFTESTS00';
export const S3_SECRET_KEY = 'secret-key-of-the-tests-that-may-not-be-read';

interface StoredObject {
  readonly bytes: Buffer;
  readonly contentType: string;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

interface Asked {
  readonly method: string;
  /** The object's key; empty for the bucket. */
  readonly key: string;
}

export async function startS3Server({ bucket = 'audio' }: { readonly bucket?: string } = {}) {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<
    string,
    { readonly key: string; readonly contentType: string; readonly parts: Map<number, Buffer> }
  >();
  const server = {
    /** A test may replace it: returns how a request is refused, if it is. */
    refusalOf: (_asked: Asked): Refusal | undefined => undefined,
    /** A test may replace it: called before a request is executed. */
    before: async (_asked: Asked): Promise<void> => {},
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = 'GET' } = request;
    const url = new URL(request.url ?? '', 'http://localhost');
    const [, name = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    const body = await bytesOf(request);
    await server.before({ method, key });
    const refuse = ({ status, code, message }: Refusal) =>
      sendXml(response, status, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
    const credential = request.headers.authorization ?? url.searchParams.get('X-Amz-Credential') ?? '';
    if (!credential.includes(S3_ACCESS_KEY)) {
      return refuse({ status: 403, code: 'InvalidAccessKeyId', message: 'The access key does not exist.' });
    }
    const refusal = server.refusalOf({ method, key });
    if (refusal !== undefined) return refuse(refusal);
    if (name !== bucket)
      return refuse({ status: 404, code: 'NoSuchBucket', message: 'The bucket does not exist.' });
    return key === ''
      ? ofBucket(url, response)
      : ofObject({ request, response, method, url, key, body }, refuse);
  }

  function ofBucket(url: URL, response: ServerResponse): unknown {
    const prefix = url.searchParams.get('prefix') ?? '';
    if (url.searchParams.has('uploads')) {
      const begun = [...uploads].filter(([, { key }]) => key.startsWith(prefix));
      const rows = begun.map(
        ([id, { key }]) => `<Upload><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId></Upload>`,
      );
      return sendXml(
        response,
        200,
        `<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`,
      );
    }
    const limit = Number(url.searchParams.get('max-keys') ?? 1_000);
    const after = url.searchParams.get('continuation-token') ?? '';
    const found = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = found.slice(0, limit);
    const rows = page.map(
      (key) =>
        `<Contents><Key>${escapeXml(key)}</Key><Size>${objects.get(key)?.bytes.length}</Size></Contents>`,
    );
    const more =
      found.length > page.length
        ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? '')}</NextContinuationToken>`
        : '';
    return sendXml(response, 200, `<ListBucketResult>${rows.join('')}${more}</ListBucketResult>`);
  }

  interface Exchange {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly method: string;
    readonly url: URL;
    readonly key: string;
    readonly body: Buffer;
  }

  function ofObject(
    { request, response, method, url, key, body }: Exchange,
    refuse: (refusal: Refusal) => void,
  ): unknown {
    const uploadId = url.searchParams.get('uploadId');
    const upload = uploadId === null ? undefined : uploads.get(uploadId);
    if (uploadId !== null && upload === undefined)
      return refuse({ status: 404, code: 'NoSuchUpload', message: 'The upload does not exist.' });
    const contentType = request.headers['content-type'] ?? 'application/octet-stream';
    if (method === 'POST' && url.searchParams.has('uploads')) {
      const id = randomBytes(8).toString('hex');
      uploads.set(id, { key, contentType, parts: new Map() });
      return sendXml(
        response,
        200,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (method === 'POST' && uploadId !== null && upload !== undefined) {
      const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
      objects.set(key, { bytes: Buffer.concat(parts), contentType: upload.contentType });
      uploads.delete(uploadId);
      return sendXml(
        response,
        200,
        '<CompleteMultipartUploadResult><ETag>"done"</ETag></CompleteMultipartUploadResult>',
      );
    }
    if (method === 'PUT') {
      if (upload === undefined) objects.set(key, { bytes: body, contentType });
      else upload.parts.set(Number(url.searchParams.get('partNumber')), body);
      return response.writeHead(200, { etag: etagOf(body) }).end();
    }
    if (method === 'DELETE') {
      if (uploadId === null) objects.delete(key);
      else uploads.delete(uploadId);
      return response.writeHead(204).end();
    }
    const object = objects.get(key);
    if (object === undefined)
      return refuse({ status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' });
    return sendObject(request, response, object);
  }

  const local = await startLocalServer(answer);
  return Object.assign(server, {
    endpoint: local.origin,
    bucket,
    objects,
    requests: local.requests,
    /** Multipart uploads that are neither complete nor aborted. */
    begunUploads: () => uploads.size,
    /** The fields with which a connection is created. */
    connection: {
      type: 's3' as const,
      endpoint: local.origin,
      region: 'us-east-1',
      bucket,
      accessKeyId: S3_ACCESS_KEY,
      secretAccessKey: S3_SECRET_KEY,
    },
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  });
}

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

function sendObject(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes, contentType }: StoredObject,
): void {
  const headers = { 'accept-ranges': 'bytes', etag: etagOf(bytes), 'content-type': contentType };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const body =
    first === undefined ? bytes : bytes.subarray(Number(first), last ? Number(last) + 1 : undefined);
  const range =
    first === undefined
      ? {}
      : { 'content-range': `bytes ${first}-${Number(first) + body.length - 1}/${bytes.length}` };
  response.writeHead(first === undefined ? 200 : 206, {
    ...headers,
    ...range,
    'content-length': body.length,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function sendXml(response: ServerResponse, status: number, xml: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${xml}`);
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray());
}
