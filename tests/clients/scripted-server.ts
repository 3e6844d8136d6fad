/** A server that returns the responses of one case and stores the requests. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { listen } from '../harness/servers/listen.ts';
import type { Answer, Case } from './case.ts';

export interface SeenRequest {
  readonly endpoint: string;
  readonly headers: IncomingHttpHeaders;
}

export async function startScriptedServer({ answers, segments = [] }: Case) {
  const seen: SeenRequest[] = [];
  const left = new Map(Object.entries(answers).map(([endpoint, list]) => [endpoint, [...list]]));
  const job = (status: 'completed' | 'failed') => ({
    id: 'job_1',
    status,
    ...(status === 'failed' ? { error: { code: 'NO_SOUND', message: 'It is silent.' } } : {}),
    segments: segments.map((segment, index) => ({
      ...{ index, startTime: index, endTime: index + 1, duration: 1 },
      ...{ ...segment, downloadUrl: `${server.url}/downloads/${index}` },
    })),
  });
  const server = await listen((request, response) => {
    const endpoint = `${request.method} ${request.url}`;
    seen.push({ endpoint, headers: request.headers });
    request.resume();
    const list = left.get(endpoint) ?? defaults(endpoint);
    const answer = (list.length > 1 ? list.shift() : list[0]) ?? { status: 404, code: 'NOT_FOUND' };
    if (answer.drops === true) request.socket.destroy();
    else send(answer, response);
  });

  /** The default responses for cases about downloads. */
  function defaults(endpoint: string): Answer[] {
    if (segments.length === 0) return [];
    if (endpoint === 'GET /api/v1/splits/job_1') return [{ job: 'completed' }];
    return endpoint === 'GET /api/v1/splits/job_1/events' ? [{ status: 204 }] : [];
  }

  function send({ status = 200, headers = {}, ...answer }: Answer, response: ServerResponse): void {
    const type =
      answer.text !== undefined
        ? 'text/plain'
        : answer.events !== undefined
          ? 'text/event-stream'
          : 'application/json';
    const body = bodyOf(answer);
    const length = answer.length ?? (answer.events === undefined ? Buffer.byteLength(body) : undefined);
    response.writeHead(status, {
      'content-type': type,
      ...(length === undefined || status === 204 ? {} : { 'content-length': length }),
      ...headers,
    });
    if (answer.breaks !== true) response.end(body);
    // The written bytes must arrive before the end of the connection.
    else response.write(body, () => setTimeout(() => response.destroy(), 30));
  }

  function bodyOf({ job: status, code, text, events }: Answer): string {
    if (status !== undefined) return JSON.stringify(job(status));
    if (code !== undefined) return JSON.stringify({ error: { code, message: 'No.' } });
    return text ?? events ?? '';
  }

  return { ...server, seen };
}
