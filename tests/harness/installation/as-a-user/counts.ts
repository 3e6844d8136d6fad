import { connect } from 'node:net';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** Requests are counted in Redis. Resolves with the headers that further requests need: none. */
export async function forgetCounts(redis: RedisAddress): Promise<Readonly<Record<string, string>>> {
  const socket = connect(redis);
  socket.end('FLUSHALL\r\nQUIT\r\n');
  for await (const reply of socket.setEncoding('utf8')) {
    if (!String(reply).startsWith('+OK')) throw new Error(`Redis answered FLUSHALL with ${reply}`);
  }
  return {};
}
