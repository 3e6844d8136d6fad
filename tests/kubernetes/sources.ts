/** Sources for splits, on this machine's end of the cluster's network: one that comes at once, and one that takes its time. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOST_ADDRESS } from '../../deploy/kubernetes/layout.ts';
import { repositoryRoot } from '../../deploy/launcher.mjs';

const SAMPLE = join(repositoryRoot, 'deploy/embedded/samples/tour.mp3');
export const SLOW_SOURCE_SECONDS = 8;

export interface Sources extends AsyncDisposable {
  /** Below it lie `/fast.mp3` and `/slow.mp3`. */
  readonly url: string;
}

export async function openSources(): Promise<Sources> {
  const sample = await readFile(SAMPLE);
  const half = Math.floor(sample.length / 2);
  const server = createServer(async ({ url }, response) => {
    response.writeHead(200, { 'content-length': sample.length, 'content-type': 'audio/mpeg' });
    response.write(sample.subarray(0, half));
    if (url?.startsWith('/slow')) await sleep(SLOW_SOURCE_SECONDS * 1_000);
    response.end(sample.subarray(half));
  });
  await once(server.listen(0, HOST_ADDRESS), 'listening');
  return {
    url: `http://${HOST_ADDRESS}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
