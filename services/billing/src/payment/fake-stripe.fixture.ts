/**
 * A fake Stripe server: keeps objects (fake-stripe-books.fixture.ts) and idempotency keys, records every request, and
 * fails on demand. With a stripe-mock it also checks each request there, against Stripe's own API description.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  createFakeStripeBooks,
  type FakeStripeBooks,
  type Form,
  type Reply,
} from './fake-stripe-books.fixture.ts';

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly form: Form;
  readonly idempotencyKey: string | undefined;
  readonly version: string | undefined;
  readonly authorization: string | undefined;
}

export type Fault =
  /** The request does not arrive. */
  | 'lost-request'
  /** It is carried out, and its response does not arrive. */
  | 'lost-answer'
  | 'no-answer'
  | Reply
  /** It is carried out, but this and every repeat get another response. */
  | { readonly afterwards: Reply };

export interface FakeStripe extends AsyncDisposable {
  readonly url: URL;
  readonly books: FakeStripeBooks;
  readonly requests: readonly RecordedRequest[];
  /** Faults for the next requests to a route such as `POST /v1/payment_intents`, in order. */
  fail(route: string, ...faults: Fault[]): void;
  /** Expires all idempotency keys. */
  forgetKeys(): void;
}

export async function startFakeStripe(options: {
  readonly now: () => Date;
  readonly stripeMockUrl?: string;
}): Promise<FakeStripe> {
  const books = createFakeStripeBooks(options.now);
  const requests: RecordedRequest[] = [];
  const faults = new Map<string, Fault[]>();
  const keys = new Map<string, { readonly form: string; readonly reply: Reply }>();
  const refusals: string[] = [];

  function replyTo({ method, path, form, idempotencyKey }: RecordedRequest, override?: Reply): Reply {
    const sent = JSON.stringify([path, form]);
    const known = idempotencyKey === undefined ? undefined : keys.get(idempotencyKey);
    if (known !== undefined) {
      if (known.form === sent) return known.reply;
      const error = { type: 'idempotency_error', message: 'Keys can only be used with the same parameters.' };
      return { status: 400, body: { error } };
    }
    const answered = books.answer(method, path, form);
    // A copy, because the object may change later.
    const reply = override ?? structuredClone(answered);
    // Stripe keeps no key for a request that failed validation: https://docs.stripe.com/api/idempotent_requests
    const isKept = method === 'POST' && reply.status !== 400 && reply.status !== 404;
    if (isKept && idempotencyKey !== undefined) keys.set(idempotencyKey, { form: sent, reply });
    return reply;
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const request = recorded(incoming, body);
    requests.push(request);
    const fault = faults.get(`${request.method} ${request.path}`)?.shift();
    if (fault === 'lost-request') return void incoming.socket.destroy();
    if (options.stripeMockUrl !== undefined) {
      const refusal = await refusalOfMock(options.stripeMockUrl, incoming, body);
      if (refusal !== undefined) refusals.push(refusal);
    }
    if (fault === 'no-answer') return;
    if (typeof fault === 'object' && 'status' in fault) return send(response, fault);
    const reply = replyTo(request, typeof fault === 'object' ? fault.afterwards : undefined);
    if (fault === 'lost-answer') return void incoming.socket.destroy();
    send(response, reply);
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    books,
    requests,
    fail: (route, ...next) => void faults.set(route, [...(faults.get(route) ?? []), ...next]),
    forgetKeys: () => keys.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      assert.deepEqual(refusals, [], 'stripe-mock accepts every request');
    },
  };
}

function recorded(incoming: IncomingMessage, body: string): RecordedRequest {
  const { method = '', headers } = incoming;
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://localhost');
  const one = (name: string) => headers[name]?.toString();
  return {
    method,
    path: pathname,
    form: Object.fromEntries([...searchParams, ...new URLSearchParams(body)]),
    idempotencyKey: one('idempotency-key'),
    version: one('stripe-version'),
    authorization: one('authorization'),
  };
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Why stripe-mock rejects a request, if it does. Its API version is a little older than the SDK's. */
async function refusalOfMock(
  mockUrl: string,
  { method = '', url = '', headers }: IncomingMessage,
  body: string,
): Promise<string | undefined> {
  const { authorization = '', 'content-type': contentType = '' } = headers;
  const response = await fetch(new URL(url, mockUrl), {
    method,
    headers: { authorization, ...(contentType === '' ? {} : { 'content-type': contentType }) },
    ...(body === '' ? {} : { body }),
  });
  const answer = await response.text();
  return response.ok ? undefined : `${method} ${url}: ${answer}`;
}
