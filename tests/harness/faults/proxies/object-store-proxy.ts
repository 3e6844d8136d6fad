/**
 * Stands between the processes and S3, and can fail as S3 fails: 5xx answers, uploads that break off half-way, uploads
 * that are stored while the answer is lost. Requests pass with their headers as they are, which the signature covers.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBreakable } from '../../servers/breakable.ts';

export type ObjectStoreFault = 'errors' | 'truncated uploads' | 'lost answers';

/** Amazon's own words for it. */
const SLOW_DOWN =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';

export async function startObjectStoreProxy(upstream: URL) {
  const agent = new Agent({ keepAlive: true });
  const breakable = createBreakable<ObjectStoreFault>();
  const server = createServer((incoming, outgoing) => {
    const isUpload = incoming.method === 'PUT' || incoming.method === 'POST';
    const fault = isUpload || breakable.fault() === 'errors' ? breakable.meet() : undefined;
    if (fault === 'errors') {
      incoming.resume();
      outgoing.writeHead(503, { 'content-type': 'application/xml' }).end(SLOW_DOWN);
      return;
    }
    pass(incoming, outgoing, { upstream, agent, fault });
  });
  // A slow upload is the client's business.
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakDown: breakable.breakDown,
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
  readonly fault: Exclude<ObjectStoreFault, 'errors'> | undefined;
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, passage: Passage): void {
  const { upstream, agent, fault } = passage;
  // The server has said "continue" already.
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
    if (fault === 'lost answers') {
      answer.resume();
      answer.on('end', breakOff);
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    answer.on('error', breakOff);
  });
  if (fault === 'truncated uploads') {
    const allowed = Math.floor(Number(incoming.headers['content-length'] ?? 0) / 2);
    let passed = 0;
    incoming.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, allowed - passed);
      passed += part.length;
      onward.write(part, () => {
        if (passed >= allowed) breakOff();
      });
    });
    incoming.on('end', breakOff);
    return;
  }
  incoming.pipe(onward);
}
