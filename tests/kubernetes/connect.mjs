/**
 * `connect.mjs ADDRESSES`: tries to connect to each `host:port` of a JSON list, and prints a list of what came of them, `open` or
 * why not. Run where the connections are to come from.
 */
import { connect } from 'node:net';

const TIMEOUT_MS = 3_000;

/** @param {string} address */
function attempt(address) {
  const [host, port] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: TIMEOUT_MS });
    const end = (/** @type {string} */ outcome) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.on('connect', () => end('open'));
    socket.on('timeout', () => end('no answer'));
    socket.on('error', (error) => end('code' in error ? String(error.code) : error.message));
  });
}

/** @type {string[]} */
const addresses = JSON.parse(process.argv[2] ?? '[]');
process.stdout.write(JSON.stringify(await Promise.all(addresses.map(attempt))));
