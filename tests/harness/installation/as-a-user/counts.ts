import { connect } from 'node:net';

/** Requests are counted in Redis. Resolves with the headers that further requests need; here none. */
export async function forgetCounts(redisUrl: string): Promise<Readonly<Record<string, string>>> {
  const { hostname, port, username, password } = new URL(redisUrl);
  const login = password === '' ? '' : `AUTH ${username} ${password}\r\n`;
  const socket = connect({ host: hostname, port: Number(port) });
  // Not end(): Redis frees the keys in a thread, and drops the client if the client closes its input before
  // that.
  socket.write(`${login}FLUSHALL\r\nQUIT\r\n`);
  const replies = (await socket.setEncoding('utf8').toArray()).join('');
  if (!/^(?:\+OK\r\n)+$/.test(replies)) throw new Error(`Redis answered FLUSHALL with ${replies}`);
  return {};
}
