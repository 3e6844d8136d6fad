/** The bounds that apply to a route. A route without a bound cannot be registered. */
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import type { Access } from '../http/server/access.ts';

/** The sentence for docs/limits.md, by name. */
export const ROUTE_BOUNDS = {
  credential: "the plan's requests a minute, for each key and each account",
  address: '`ADDRESS_REQUESTS_PER_MINUTE`',
  consoleReads: '`CONSOLE_READS_PER_MINUTE`',
  downloads: '`DOWNLOADS_PER_MINUTE`',
  pages: '`PAGES_PER_MINUTE`',
  streams: '`STREAMS_PER_ACCOUNT`, `STREAMS_PER_ADDRESS`',
  uploads:
    '`UPLOADS_PER_MINUTE`, `UPLOAD_BUFFER_BYTES`, and the bounds of the account that the link was given to',
  probe: 'answered from memory, or by one check at a time for all that ask',
} as const;

export type RouteBound = keyof typeof ROUTE_BOUNDS;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bounds in addition to the limit that its access implies. */
    readonly bounds?: readonly RouteBound[];
  }
}

export interface BoundedRoute {
  readonly method: string;
  readonly path: string;
  readonly bounds: readonly RouteBound[];
}

export function boundsOf({ access, bounds = [] }: FastifyContextConfig): readonly RouteBound[] {
  return access === undefined ? bounds : [limitOf(access), ...bounds];
}

function limitOf(access: Access): RouteBound {
  if (access.kind === 'anyone') return 'address';
  return access.kind === 'session' && access.reads ? 'consoleReads' : 'credential';
}

/**
 * Call it before adding any route. Throws when a route without a bound is added; returns the routes that are
 * added later.
 */
export function requireBounds(app: FastifyInstance): readonly BoundedRoute[] {
  const routes: BoundedRoute[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const bounds = boundsOf(config ?? {});
    if (bounds.length === 0) throw new Error(`${method} ${url} has no bound: name one in its config`);
    for (const each of [method].flat()) routes.push({ method: each, path: url, bounds });
  });
  return routes;
}
