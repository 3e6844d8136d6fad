/**
 * The serving side of lean-transport.ts: binary unary calls of the Connect protocol over HTTP/1.1, as
 * services send them to one another. Other requests (other protocols, JSON, compressed bodies, GET, streams)
 * go to the stock handlers; both serve every method alike.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, type Interceptor } from '@connectrpc/connect';
import { mergeNonProtocolHeaders } from '@connectrpc/connect/protocol';
import { codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect';
import { messageOf } from '../../errors.ts';
import {
  startUnaryRun,
  tooLarge,
  type UnaryMethod,
  type UnaryOutcome,
  type UnaryRun,
  unaryMethodsOf,
} from './methods.ts';

interface LeanHandlerOptions {
  readonly routes: (router: ConnectRouter) => void;
  readonly interceptors: readonly Interceptor[];
  readonly maxTimeoutMs: number;
  readonly maxMessageBytes: number;
}

/** Returns whether it handles the request. */
export type LeanHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createLeanHandler(options: LeanHandlerOptions): LeanHandler {
  const methods = new Map<string, UnaryMethod>();
  for (const [{ parent, name }, method] of unaryMethodsOf(options.routes)) {
    methods.set(`/${parent.typeName}/${name}`, method);
  }
  return (request, response) => {
    const { method: httpMethod, url = '', headers } = request;
    const method = methods.get(url);
    const isOurs =
      method !== undefined &&
      httpMethod === 'POST' &&
      headers['content-type'] === 'application/proto' &&
      headers['content-encoding'] === undefined;
    // If even the refusal fails, the connection is cut: an uncaught error would end the process.
    if (isOurs) answer(options, method, { request, response }).catch(() => response.destroy());
    return isOurs;
  };
}

async function answer(
  { interceptors, maxTimeoutMs, maxMessageBytes }: LeanHandlerOptions,
  method: UnaryMethod,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  let run: UnaryRun | undefined;
  response.once('close', () => {
    if (!response.writableFinished) run?.cancel(new ConnectError('the caller has gone', Code.Canceled));
  });
  try {
    const input = await readBody(request, maxMessageBytes);
    const url = `http://${request.headers.host ?? ''}${request.url ?? ''}`;
    run = startUnaryRun({ method, interceptors, url, header: headersOf(request), maxTimeoutMs });
    const outcome = await run.invoke(parse(method, input));
    const { header, trailer } = outcome;
    const body = toBinary(method.method.output, outcome.message);
    if (body.byteLength > maxMessageBytes) throw tooLarge(body.byteLength, maxMessageBytes);
    send(response, { status: 200, contentType: 'application/proto', body, header, trailer });
  } catch (thrown) {
    const error = thrown instanceof ConnectError ? thrown : new ConnectError('internal error', Code.Internal);
    const header = new Headers();
    // Metadata that another service sent was meant for us, not for our caller.
    if (error.isWireError !== true) mergeNonProtocolHeaders(header, error.metadata);
    send(response, {
      status: codeToHttpStatus(error.code),
      contentType: 'application/json',
      body: errorToJsonBytes(error, undefined),
      header,
      trailer: undefined,
    });
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const header = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    header.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return header;
}

function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // Keeps reading, so that the refusal can be sent on this connection; the received bytes are dropped.
      if (bytes > maxBytes) chunks.length = 0;
      else chunks.push(chunk);
    });
    request.on('end', () => {
      if (bytes > maxBytes) return reject(tooLarge(bytes, maxBytes));
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    });
    request.on('error', () => reject(new ConnectError('the caller has gone', Code.Canceled)));
  });
}

function parse({ method }: UnaryMethod, body: Uint8Array): Message {
  try {
    return fromBinary(method.input, body);
  } catch (cause) {
    throw new ConnectError(
      `the request is not a ${method.input.typeName}: ${messageOf(cause)}`,
      Code.InvalidArgument,
    );
  }
}

interface Answer extends Pick<UnaryOutcome, 'header' | 'trailer'> {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

function send(response: ServerResponse, { status, contentType, body, header, trailer }: Answer): void {
  if (response.destroyed) return;
  const headers = ['content-type', contentType, 'content-length', String(body.byteLength)];
  for (const [name, value] of header ?? []) headers.push(name, value);
  for (const [name, value] of trailer ?? []) headers.push(`trailer-${name}`, value);
  response.writeHead(status, headers);
  response.end(body);
}
