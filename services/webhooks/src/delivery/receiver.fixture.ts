/** A receiver of notifications on 127.0.0.1: records the posted requests and responds by path. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Posted {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (response: ServerResponse) => void;

export interface Receiver extends AsyncDisposable {
  /** A target of this test; without given answers it responds with 204. */
  target(...answers: readonly Answer[]): Target;
}

export interface Target {
  readonly url: string;
  /** The same target with another name of this machine: a different host for the service. */
  urlOf(name: string): string;
  readonly posted: readonly Posted[];
}

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(code, headers).end('an unread answer');
  };

export const hang: Answer = () => {};

export async function startReceiver(): Promise<Receiver> {
  const targets = new Map<string, { readonly posted: Posted[]; readonly answers: readonly Answer[] }>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const target = targets.get(path);
    if (target === undefined) return status(404)(response);
    const { posted, answers } = target;
    const body = await text(request);
    // The last answer repeats.
    const answer = answers[Math.min(posted.length, answers.length - 1)] ?? status(204);
    posted.push({ path, headers: request.headers, body });
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    target(...answers) {
      const path = `/${targets.size}`;
      const posted: Posted[] = [];
      targets.set(path, { posted, answers });
      return {
        url: `http://127.0.0.1:${port}${path}`,
        urlOf: (name) => `http://${name}.localhost:${port}${path}`,
        posted,
      };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Keeps callers waiting until the test responds; `waiting` grows with each. */
export function held(): { readonly answer: Answer; readonly waiting: ServerResponse[] } {
  const waiting: ServerResponse[] = [];
  return { waiting, answer: (response) => waiting.push(response) };
}
