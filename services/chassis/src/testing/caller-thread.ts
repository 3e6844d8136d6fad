import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Asks over one connection, made with the first question, from a thread that goes on while this one is held up. */
interface CallerThread extends AsyncDisposable {
  /** Resolves to what comes first, headers and all, or to the error that comes instead. */
  ask(): Promise<string>;
  /** Does nothing else until the question is on its way. */
  holdUpUntilSent(): void;
}

const TIMEOUT_MS = 10_000;

const CODE = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { host, port, request, sent } } = require('node:worker_threads');
  let socket;
  parentPort.on('message', () => {
    socket ??= connect(port, host)
      .on('data', (data) => parentPort.postMessage(data.toString()))
      .on('error', (error) => parentPort.postMessage(error.message));
    socket.write(request, () => {
      Atomics.store(sent, 0, 1);
      Atomics.notify(sent, 0);
    });
  });`;

export function startCallerThread(url: string): CallerThread {
  const { hostname: host, port, pathname } = new URL(url);
  const request = `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(CODE, { eval: true, workerData: { host, port: Number(port), request, sent } });
  return {
    async ask() {
      Atomics.store(sent, 0, 0);
      worker.postMessage('ask');
      const [answer] = (await once(worker, 'message')) as [string];
      return answer;
    },
    holdUpUntilSent() {
      assert.notEqual(Atomics.wait(sent, 0, 0, TIMEOUT_MS), 'timed-out');
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}
