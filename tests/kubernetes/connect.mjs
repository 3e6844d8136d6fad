/**
 * `connect.mjs ADDRESSES`: tries to connect to each `host:port` of a JSON list, and prints a list of
 * outcomes: `open` or the reason. Run it where the connections should start.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

const TIMEOUT_MS = 3_000;

/** @param {string} address */
async function attempt(address) {
  const [host, port] = address.split(':');
  const socket = connect({ host, port: Number(port), timeout: TIMEOUT_MS });
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
    return 'open';
  } catch (error) {
    return error.code ?? error.message;
  } finally {
    socket.destroy();
  }
}

/** @type {string[]} */
const addresses = JSON.parse(process.argv[2] ?? '[]');
process.stdout.write(JSON.stringify(await Promise.all(addresses.map(attempt))));
