import pg from 'pg';

/** A connection outside of a pool, which ends with the scope. Rejects if the server does not accept it. */
export async function openConnection(config: pg.ClientConfig): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(config);
  // A broken connection makes the query in flight or the next one reject, whose error says more.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    await client.end();
    throw error;
  }
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
