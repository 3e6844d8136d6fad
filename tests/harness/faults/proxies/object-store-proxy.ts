/**
 * A proxy between the processes and S3 that can fail as S3 fails: 5xx responses, uploads that break off or
 * hang half-way, uploads that are stored although the response is lost. Request headers are passed unchanged,
 * because the signature covers them.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBreakable } from '../../servers/breakable.ts';
import { createUploadHolds } from './upload-hold.ts';

export type ObjectStoreFault = 'errors' | 'truncated uploads' | 'lost answers';

/** Amazon's own text for it. */
const SLOW_DOWN =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';

export async function startObjectStoreProxy(upstream: URL) {
  const agent = new Agent({ keepAlive: true });
  const breakable = createBreakable<ObjectStoreFault>();
  const holds = createUploadHolds();
  const server = createServer((incoming, outgoing) => {
    const isUpload = incoming.method === 'PUT' || incoming.method === 'POST';
    const fault = isUpload || breakable.fault() === 'errors' ? breakable.meet() : undefined;
    if (fault === 'errors') {
      incoming.resume();
      outgoing.writeHead(503, { 'content-type': 'application/xml' }).end(SLOW_DOWN);
      return;
    }
    const path = decodeURIComponent(incoming.url?.replace(/\?.*$/, '') ?? '');
    const halfway: Passage['halfway'] =
      fault === 'truncated uploads'
        ? (breakOff) => breakOff()
        : holds.isOn() && incoming.method === 'PUT'
          ? (breakOff) => holds.keep(path, breakOff)
          : undefined;
    pass(incoming, outgoing, { upstream, agent, halfway, losesAnswer: fault === 'lost answers' });
  });
  // The client decides how long an upload takes.
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakDown: breakable.breakDown,
    holdUploads: holds.begin,
    async [Symbol.asyncDispose]() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Passage {
  readonly upstream: URL;
  readonly agent: Agent;
  /** Called when half of an upload has arrived; undefined: the upload continues. */
  readonly halfway: ((breakOff: () => void) => void) | undefined;
  readonly losesAnswer: boolean;
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, passage: Passage): void {
  const { upstream, agent, halfway, losesAnswer } = passage;
  // The server has already sent "100 Continue".
  const { expect: _, ...headers } = incoming.headers;
  const onward = request({
    host: upstream.hostname,
    port: upstream.port,
    method: incoming.method,
    path: incoming.url,
    headers,
    agent,
  });
  const breakOff = () => {
    onward.destroy();
    outgoing.destroy();
  };
  onward.on('error', breakOff);
  incoming.on('error', breakOff);
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) onward.destroy();
  });
  onward.on('response', (answer) => {
    if (losesAnswer) {
      answer.resume();
      answer.on('end', breakOff);
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    answer.on('error', breakOff);
  });
  if (halfway !== undefined) {
    const allowed = Math.floor(Number(incoming.headers['content-length'] ?? 0) / 2);
    let passed = 0;
    incoming.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, allowed - passed);
      passed += part.length;
      onward.write(part, () => {
        if (passed >= allowed) halfway(breakOff);
      });
    });
    incoming.on('end', () => halfway(breakOff));
    return;
  }
  incoming.pipe(onward);
}
