/** Runs the program against a server whose responses the test defines. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type Captured, runCaptured } from './run-captured.fixture.ts';

/** An object is sent as JSON; a function writes the response itself. */
type Answer = object | ((request: IncomingMessage, response: ServerResponse) => void);

export interface FakeApi extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Keyed by `GET /api/v1/splits`, without the query string. Other requests get 404. */
  readonly answers: Record<string, Answer>;
  readonly seen: { readonly endpoint: string; readonly headers: IncomingMessage['headers']; body: unknown }[];
  run(...args: readonly string[]): Promise<Captured>;
}

export const NOT_FOUND = { error: { code: 'NOT_FOUND', message: 'There is no such job.' } };

export async function startFakeApi(): Promise<FakeApi> {
  const answers: FakeApi['answers'] = {};
  const seen: FakeApi['seen'] = [];
  const server = createServer(async (request, response) => {
    const endpoint = `${request.method} ${request.url?.split('?')[0]}`;
    const body = request.method === 'GET' ? undefined : await json(request).catch(() => undefined);
    seen.push({ endpoint, headers: request.headers, body });
    const answer = answers[endpoint];
    if (typeof answer === 'function') return answer(request, response);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? NOT_FOUND));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-cli-'));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env: Record<string, string> = { XDG_CONFIG_HOME: join(folder, 'config') };
  return {
    url,
    folder,
    env,
    answers,
    seen,
    run: (...args) => runCaptured(args, { env, workingDir: folder }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}
