/**
 * A bridge between playwright-core and Firefox that passes on their WebDriver BiDi messages, except one
 * command that each page begins with and that Firefox does not support (version 153): the bridge answers it,
 * without any effect.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

const UNKNOWN_COMMAND = 'emulation.setMediaFeaturesOverride';

export async function openBidiBridge() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (near, { url = '' }) => {
    // The path consists of Firefox's port and its session's path.
    const far = new WebSocket(`ws://127.0.0.1:${url.slice(1)}`, { perMessageDeflate: false });
    const isOpen = once(far, 'open');
    near.on('message', async (data) => {
      const { id, method } = JSON.parse(String(data));
      if (method === UNKNOWN_COMMAND) near.send(JSON.stringify({ type: 'success', id, result: {} }));
      else await isOpen.then(() => far.send(String(data)));
    });
    far.on('message', (data) => near.send(String(data)));
    far.on('close', () => near.close());
    near.on('close', () => far.close());
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}
