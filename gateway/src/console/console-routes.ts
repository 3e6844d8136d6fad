/** The console's back end: its tRPC procedures, and the invoice file, which has no signed link. */
import type { Logger } from '@audiosplit/chassis/process/log';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { sendJobArchive } from '../archive/archive-route.ts';
import { sendBatchArchive } from '../archive/batch-archive-route.ts';
import { addLimitChanges } from '../http/admission/limit-changes.ts';
import { addIdempotencyKeys } from '../http/idempotency/idempotency.ts';
import { MAX_LISTING_BODY_BYTES } from '../http/input/json-body.ts';
import { type Access, ANYONE } from '../http/server/access.ts';
import { addRequestDeadlines } from '../http/server/request-deadline.ts';
import { fromProtoSession } from '../mapping/sessions.ts';
import type { RouteDependencies } from '../routes/route-dependencies.ts';
import { BatchParams } from '../schemas/batches.ts';
import { JobParams } from '../schemas/splits.ts';
import { limitChanges } from './billing-procedures.ts';
import { CONSOLE_PREFIX } from './cookies.ts';
import { createRenewals } from './renewals.ts';
import { consoleRouter } from './router.ts';
import { requireSameOrigin } from './same-origin.ts';
import { sessionProcedures } from './session-procedures.ts';
import { type ConsoleContext, SESSION } from './trpc.ts';
import { addTrpcErrors, headersOf, reportFault } from './trpc-errors.ts';

/** Procedures check pending deletion and suspension themselves. */
const READER: Access = { kind: 'session', reads: true, whilePendingDeletion: true };
const WRITER: Access = { kind: 'session', reads: false, whilePendingDeletion: true };
/** Bounds a tRPC batch. Each query costs one or two service calls. */
const MAX_QUERIES_PER_REQUEST = 8;

export function consoleRoutes(routes: RouteDependencies, log: Logger): FastifyPluginAsyncTypebox {
  const { auth } = routes.services;
  const renewSession = createRenewals(async (refreshToken, client) =>
    fromProtoSession(await auth.refreshSession({ refreshToken, ...client })),
  );
  const contextOf = (request: FastifyRequest, reply: FastifyReply): ConsoleContext => ({
    request,
    reply,
    routes,
    renewSession,
  });
  const answer = (request: FastifyRequest, reply: FastifyReply, path: string) =>
    fastifyRequestHandler({
      router: consoleRouter,
      req: request,
      res: reply,
      path,
      maxBatchSize: MAX_QUERIES_PER_REQUEST,
      createContext: () => contextOf(request, reply),
      responseMeta: ({ errors }) => ({ headers: headersOf(errors) }),
      onError: ({ error }) => reportFault(log, request, error.cause ?? error),
    });

  return async (app) => {
    app.addHook('onRequest', async (request) => {
      requireSameOrigin(request, routes.links.publicBaseUrl());
    });
    addIdempotencyKeys(app);
    addRequestDeadlines(app);
    addLimitChanges(app, routes.credentials, log);
    addTrpcErrors(app, log);

    const postTo = (
      path: string,
      config: FastifyContextConfig,
      options: { readonly bodyLimit?: number } = {},
    ) =>
      app.post(
        `${CONSOLE_PREFIX}/trpc/${path}`,
        { config, schema: { hide: true }, ...options },
        (request, reply) => answer(request, reply, path),
      );
    for (const name of Object.keys(sessionProcedures)) postTo(`session.${name}`, { access: ANYONE });
    for (const name of [...Object.keys(limitChanges).map((each) => `billing.${each}`), 'account.remove']) {
      postTo(name, { access: WRITER, changesLimits: true, whileSuspended: true });
    }
    postTo('batches.create', { access: WRITER }, { bodyLimit: MAX_LISTING_BODY_BYTES });
    app.get(
      `${CONSOLE_PREFIX}/trpc/:path`,
      {
        exposeHeadRoute: false,
        config: { access: READER, bounds: ['streams'] },
        schema: { hide: true, params: Type.Object({ path: Type.String() }) },
      },
      (request, reply) => answer(request, reply, request.params.path),
    );
    app.post(
      `${CONSOLE_PREFIX}/trpc/:path`,
      {
        config: { access: WRITER, whileSuspended: true },
        schema: { hide: true, params: Type.Object({ path: Type.String() }) },
      },
      (request, reply) => answer(request, reply, request.params.path),
    );
    app.get(
      `${CONSOLE_PREFIX}/archives/:jobId`,
      { exposeHeadRoute: false, config: { access: SESSION }, schema: { hide: true, params: JobParams } },
      (request, reply) => sendJobArchive(routes, request, reply, request.params.jobId),
    );
    app.get(
      `${CONSOLE_PREFIX}/archives/batches/:batchId`,
      { exposeHeadRoute: false, config: { access: SESSION }, schema: { hide: true, params: BatchParams } },
      (request, reply) => sendBatchArchive(routes, request, reply, request.params.batchId),
    );
  };
}
