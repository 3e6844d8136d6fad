import type { FastifyPluginAsync } from 'fastify';
import type { BoundedRoute } from '../bounds/route-bounds.ts';
import { toPageFile } from '../http/server/page-file.ts';
import { startTestGateway } from './test-gateway.ts';

/** Every route of a gateway with pages and a guide, sorted by path, without their files and their HEAD. */
export async function readBoundedRoutes(
  plugins: readonly FastifyPluginAsync[] = [],
): Promise<readonly BoundedRoute[]> {
  const page = toPageFile('index.html', Buffer.from('<title></title>'));
  const guide = new Map(['/docs', '/docs/:page', '/docs/reference'].map((path) => [path, page]));
  const pages = { document: page, assets: new Map([['/assets/:file', page]]) };
  await using gateway = await startTestGateway({ dependencies: { pages, guide, plugins } });
  return gateway.boundedRoutes
    .filter(({ method }) => method !== 'HEAD')
    .toSorted((a, b) => (a.path === b.path ? compare(a.method, b.method) : compare(a.path, b.path)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
