/**
 * The operators' console: a page and its procedures on a listener of its own, fully separate from the public one. It
 * calls services with the operator role, which the gateway does not have.
 */

import { join } from 'node:path';
import type { Clock } from '@audiosplit/chassis/clock';
import type { BusOperations } from '@audiosplit/chassis/event-bus/bus-operations';
import type { IdentityKeys } from '@audiosplit/chassis/identity/keys';
import type { Logger } from '@audiosplit/chassis/process/log';
import { createCaller, type RpcAddress } from '@audiosplit/chassis/rpc/client';
import { AuthOperatorService } from '@audiosplit/proto/auth/v1/operators';
import { BillingOperatorService } from '@audiosplit/proto/billing/v1/operators';
import { JobsOperatorService } from '@audiosplit/proto/jobs/v1/operators';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify';
import fastify, { type FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type ConsolePages, consolePages, readConsolePages } from '../console/pages.ts';
import { requireSameOrigin } from '../console/same-origin.ts';
import { addTrpcErrors, reportFault } from '../console/trpc-errors.ts';
import { addErrorHandling } from '../http/errors/error-handling.ts';
import { addJsonBodies } from '../http/input/json-body.ts';
import { closeWithin, listen } from '../http/server/listening.ts';
import { addRequestTrace } from '../http/server/request-trace.ts';
import { createRoutesByPath } from '../http/server/routes-by-path.ts';
import { addTransportSecurity } from '../http/server/transport-security.ts';
import { createMemoryRateLimiter } from '../rate-limit/memory.ts';
import type { OperatedService, OperatorsConfig } from './config.ts';
import { operatorsRouter } from './router.ts';
import { createOperatorSessions } from './sessions.ts';
import { createSharedBus } from './shared-bus.ts';
import { createAudit, type OperatorsContext } from './trpc.ts';

interface OperatorsDependencies {
  readonly addressOf: (service: OperatedService) => RpcAddress;
  readonly openBus: () => Promise<BusOperations>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly keys: IdentityKeys;
  /** The built page, if any. */
  readonly pages: ConsolePages | undefined;
  /** The folder of the account service's mails, if this process can read it. */
  readonly mailDir?: string | undefined;
}

interface OperatorsConsole extends AsyncDisposable {
  /** A URL for this machine. */
  readonly url: string;
}

/** Paths that the page knows. */
const PAGE_PATHS = ['/', '/splitters', '/bus', '/accounts', '/accounts/:accountId', '/audit', '/mails'];
const MAX_BODY_BYTES = 16 * 1_024;
const REQUEST_TIMEOUT_MS = 30_000;
/** Bounds a tRPC batch. */
const MAX_QUERIES_PER_REQUEST = 8;
/** Reading dead letters from Kafka takes seconds. */
const CLOSING_MS = 5_000;

/** Undefined if the page has not been built. */
export function readOperatorsPages(): Promise<ConsolePages | undefined> {
  return readConsolePages(join(import.meta.dirname, '../../console/dist/operators'));
}

/** Starts listening. Throws a one-line StartError that says what to change. */
export async function startOperators(
  config: OperatorsConfig,
  { addressOf, openBus, log, clock, keys, pages, mailDir }: OperatorsDependencies,
): Promise<OperatorsConsole> {
  await using starting = new AsyncDisposableStack();
  const caller = createCaller({ keys, clock });
  const shared = {
    sessions: createOperatorSessions(config.secrets, clock),
    auth: caller.client(AuthOperatorService, addressOf('auth')),
    jobs: caller.client(JobsOperatorService, addressOf('jobs')),
    billing: caller.client(BillingOperatorService, addressOf('billing')),
    bus: starting.use(createSharedBus(openBus)),
    signIns: starting.use(createMemoryRateLimiter(clock)),
    links: config.links,
    audit: createAudit(log),
    mailDir,
  };

  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
  });
  const byPath = createRoutesByPath();
  app.addHook('onRoute', ({ url, method }) => byPath.add(url, [method].flat()));
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
  });
  addJsonBodies(app);
  addRequestTrace(app, log);
  addTransportSecurity(app, cameByHttps);
  addErrorHandling(app, byPath, log, { notFoundPage: pages?.document });
  app.get('/healthz', async () => ({ status: 'ok' }));
  await app.register(procedures(shared, log));
  if (pages !== undefined) await app.register(consolePages(pages, { paths: PAGE_PATHS }));

  starting.defer(() => closeWithin(app, CLOSING_MS));
  const variables = { host: 'OPERATORS_HOST', port: 'OPERATORS_PORT' };
  const url = await listen(app, { ...config, variables });
  log.info({ url }, "serving the operators' console");
  const running = starting.move();
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/**
 * Whether a proxy that terminates TLS says so. No list of trusted proxies is needed: the header changes only
 * the response to the request that carries it, and a page of another site cannot send it.
 */
function cameByHttps({ headers }: FastifyRequest): boolean {
  return /^https\b/i.test(String(headers['x-forwarded-proto'] ?? ''));
}

function procedures(
  shared: Omit<OperatorsContext, 'request' | 'reply' | 'isHttps'>,
  log: Logger,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      requireSameOrigin(request);
    });
    addTrpcErrors(app, log);
    app.route({
      method: ['GET', 'POST'],
      url: '/trpc/:path',
      exposeHeadRoute: false,
      schema: { params: Type.Object({ path: Type.String() }) },
      handler: (request, reply) =>
        fastifyRequestHandler({
          router: operatorsRouter,
          req: request,
          res: reply,
          path: request.params.path,
          maxBatchSize: MAX_QUERIES_PER_REQUEST,
          createContext: () => ({ ...shared, request, reply, isHttps: cameByHttps(request) }),
          onError: ({ error }) => reportFault(log, request, error.cause ?? error),
        }),
    });
  };
}
