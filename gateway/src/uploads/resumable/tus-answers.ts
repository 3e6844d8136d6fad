/** Passes requests to the reference server of tus, and its answers on, refusals in the form of the API. */
import { DataStore, Server, type ServerOptions, TUS_RESUMABLE } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, pathNotFound } from '../../http/errors/api-error.ts';
import type { ErrorCode } from '../../http/errors/error-codes.ts';
import { TUS_PATH } from './resumable-links.ts';

/** Of the connection to this gateway, or of other origins, which the API does not serve. */
const OWN_HEADERS = /^(access-control-|connection$|content-)/;
/** How long a request goes on that another one takes over from. */
const DRAIN_MS = 200;

interface TusRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly store: Partial<DataStore>;
  readonly options: Pick<ServerOptions, 'locker'> & Partial<ServerOptions>;
  readonly body?: ReadableStream | undefined;
}

/** Answers without a body, but for refusals, which are thrown. */
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
    // Names and addresses behind proxies are not its concern.
    if (value === undefined || name.startsWith('x-forwarded-')) continue;
    for (const each of [value].flat()) headers.append(name, each);
  }
  // Only its last segment matters, which is the id that `getFileIdFromRequest` replaces.
  const url = `http://tus.invalid${TUS_PATH}/upload`;
  return new Request(url, { method, headers, ...(body === undefined ? {} : { body, duplex: 'half' }) });
}

/** Statuses of the protocol whose cause was none of ours. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map([
  [404, 'UPLOAD_NOT_FOUND'],
  [409, 'UPLOAD_OFFSET_CONFLICT'],
  [410, 'UPLOAD_EXPIRED'],
  [413, 'FILE_TOO_LARGE'],
  [400, 'INVALID_PARAMS'],
  [403, 'INVALID_PARAMS'],
  [501, 'INVALID_PARAMS'],
  // Its lock.
  [500, 'UPLOAD_OFFSET_CONFLICT'],
]);

function toRefusal(failure: unknown, status: number, text: string): Error {
  if (failure instanceof Error) return failure;
  const code = CODES.get(status);
  return code === undefined ? pathNotFound() : new ApiError(code, text.trim());
}
