/**
 * Serves the bundled audio on a port of its own, because as a separate process the gateway serves only its
 * API.
 */
import fastify from 'fastify';
import { samplesPlugin } from '../embedded/samples.ts';

export interface SamplesServer extends AsyncDisposable {
  readonly port: number;
}

export async function startSamplesServer(host = '127.0.0.1'): Promise<SamplesServer> {
  const server = fastify({ forceCloseConnections: true });
  await server.register(samplesPlugin);
  await server.listen({ host, port: 0 });
  const address = server.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a TCP server has a TCP address');
  return { port: address.port, [Symbol.asyncDispose]: () => server.close() };
}
