/** HTTP Strict Transport Security (RFC 6797): a browser that has used https uses nothing else for a year. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

const POLICY = 'max-age=31536000';

export function isHttps(url: string): boolean {
  return url.startsWith('https:');
}

export function addTransportSecurity(
  app: FastifyInstance,
  isHttps: (request: FastifyRequest) => boolean,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isHttps(request)) reply.header('strict-transport-security', POLICY);
    done();
  });
}
