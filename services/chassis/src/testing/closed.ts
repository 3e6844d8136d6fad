import type { Socket } from 'node:net';

/**
 * Resolves once the connection is gone, in whatever way. `once(socket, 'close')` would reject where the other
 * side resets it, which is as good an end and a matter of timing.
 */
export function closed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
