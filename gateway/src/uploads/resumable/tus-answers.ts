/** Has requests answered by the reference server of tus. Its refusals become errors of the API. */
import { DataStore, Server, type ServerOptions, TUS_RESUMABLE } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, pathNotFound } from '../../http/errors/api-error.ts';
import type { ErrorCode } from '../../http/errors/error-codes.ts';
import { TUS_PATH } from './resumable-links.ts';

/** Headers that are not copied: this gateway sets its own, and the API does not support CORS. */
const OWN_HEADERS = /^(access-control-|connection$|content-)/;
/** The time for which a request continues after another one has requested its lock. */
const DRAIN_MS = 200;

interface TusRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly store: Partial<DataStore>;
  readonly options: Pick<ServerOptions, 'locker'> & Partial<ServerOptions>;
  readonly body?: ReadableStream | undefined;
}

/** Sets status and headers of the reply; the caller sends it, without a body. Throws refusals. */
export async function answerByTus({ request, reply, store, options, body }: TusRequest): Promise<void> {
  reply.header('tus-resumable', TUS_RESUMABLE);
  requireVersion(request, reply);
  let failure: unknown;
  const server = new Server({
    path: TUS_PATH,
    lockDrainTimeout: DRAIN_MS,
    ...options,
    datastore: Object.assign(new DataStore(), store),
    onResponseError: (_request, error) => {
      failure = error;
      return undefined;
    },
  });
  const response = await server.handleWeb(toWebRequest(request, body));
  if (response.status >= 400) throw toRefusal(failure, response.status, await response.text());
  for (const [name, value] of response.headers) if (!OWN_HEADERS.test(name)) reply.header(name, value);
  reply.code(response.status);
}

/** The server would answer 400 to another version. */
function requireVersion({ method, headers }: FastifyRequest, reply: FastifyReply): void {
  if (method === 'OPTIONS' || headers['tus-resumable'] === TUS_RESUMABLE) return;
  reply.header('tus-version', TUS_RESUMABLE);
  throw new ApiError('TUS_VERSION_UNSUPPORTED', `Send "Tus-Resumable: ${TUS_RESUMABLE}".`);
}

function toWebRequest({ raw, method }: FastifyRequest, body: ReadableStream | undefined): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw.headers)) {
    // Headers of proxies are evaluated by the gateway.
    if (value === undefined || name.startsWith('x-forwarded-')) continue;
    for (const each of [value].flat()) headers.append(name, each);
  }
  // The tus server would take its id from the last segment; `getFileIdFromRequest` returns it instead.
  const url = `http://tus.invalid${TUS_PATH}/upload`;
  return new Request(url, { method, headers, ...(body === undefined ? {} : { body, duplex: 'half' }) });
}

/** The codes for refusals of the tus server itself. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map([
  [404, 'UPLOAD_NOT_FOUND'],
  [409, 'UPLOAD_OFFSET_CONFLICT'],
  [410, 'UPLOAD_EXPIRED'],
  [413, 'FILE_TOO_LARGE'],
  [400, 'INVALID_PARAMS'],
  [403, 'INVALID_PARAMS'],
  [501, 'INVALID_PARAMS'],
  // A lock that was not released in time.
  [500, 'UPLOAD_OFFSET_CONFLICT'],
]);

function toRefusal(failure: unknown, status: number, text: string): Error {
  if (failure instanceof Error) return failure;
  const code = CODES.get(status);
  return code === undefined ? pathNotFound() : new ApiError(code, text.trim());
}
