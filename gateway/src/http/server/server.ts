/** Builds the HTTP server: the hooks for every request, then the routes. */
import type { Clock } from '@audiosplit/chassis/clock';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Bounds } from '../../bounds/bound-settings.ts';
import { type BoundedRoute, requireBounds } from '../../bounds/route-bounds.ts';
import type { SharedBudget } from '../../bounds/shared-budget.ts';
import { consoleRoutes } from '../../console/console-routes.ts';
import { type ConsolePages, configuredPages, consolePages } from '../../console/pages.ts';
import type { StripePage } from '../../console/stripe-page.ts';
import { type GuidePages, guidePages } from '../../docs/guide-pages.ts';
import { downloadRoutes } from '../../downloads/download-routes.ts';
import { mcpRoutes } from '../../mcp/mcp-routes.ts';
import { accountRoutes } from '../../routes/account.ts';
import { apiKeyRoutes } from '../../routes/api-keys.ts';
import { batchRoutes } from '../../routes/batches.ts';
import { billingRoutes } from '../../routes/billing.ts';
import { connectionRoutes } from '../../routes/connections.ts';
import { keySetRoutes } from '../../routes/key-set.ts';
import { paymentEventRoutes } from '../../routes/payment-events.ts';
import { presetRoutes } from '../../routes/presets.ts';
import type { RouteDependencies } from '../../routes/route-dependencies.ts';
import { securityRoutes } from '../../routes/security.ts';
import { sessionRoutes } from '../../routes/sessions.ts';
import { splitRoutes } from '../../routes/splits.ts';
import { uploadLinkRoutes } from '../../routes/uploads.ts';
import { webhookRoutes } from '../../routes/webhooks.ts';
import { CLOSED } from '../../schemas/fields.ts';
import type { UploadDependencies } from '../../uploads/receive-upload.ts';
import { tusCreationRoutes } from '../../uploads/resumable/tus-creation.ts';
import { tusRoutes } from '../../uploads/resumable/tus-routes.ts';
import { uploadRoutes } from '../../uploads/upload-routes.ts';
import type { AddressWindow } from '../admission/address-window.ts';
import type { Admit } from '../admission/admission.ts';
import { addLateRefusals, createLateRefusals, type LateRefusals } from '../admission/late-refusals.ts';
import { addLimitChanges } from '../admission/limit-changes.ts';
import { addLoadShedding, type LoadLimits } from '../admission/load-shedding.ts';
import { ApiError, toApiError } from '../errors/api-error.ts';
import { addErrorHandling, createMalformedHttpRefusal, sendError } from '../errors/error-handling.ts';
import { addIdempotencyKeys } from '../idempotency/idempotency.ts';
import { addBodyIntake } from '../input/body-intake.ts';
import { addJsonBodies, MAX_BODY_BYTES } from '../input/json-body.ts';
import { validatorCompiler } from '../input/validation.ts';
import { addApiDescription } from '../openapi/openapi.ts';
import { type HealthOptions, healthRoutes } from './health.ts';
import { addRequestDeadlines } from './request-deadline.ts';
import { addRequestMetrics } from './request-metrics.ts';
import { addRequestTrace, startTrace } from './request-trace.ts';
import { createRoutesByPath } from './routes-by-path.ts';
import { buildSerializer } from './serializers.ts';
import { addTransportSecurity, isHttps } from './transport-security.ts';

/** The largest upload, 10 GiB, at 3 MiB/s. */
const REQUEST_TIMEOUT_MS = 3_600_000;
/** Time without reading or writing after which a peer counts as gone. */
const IDLE_TIMEOUT_MS = 60_000;
/** Longer than the 60 s of common load balancers, so that they close idle connections first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** The interval at which Node checks for late headers. */
const CHECK_HEADERS_EVERY_MS = 1_000;
/** Longer than any id. Schemas check the ids themselves. */
const MAX_PARAM_LENGTH = 1_000;

export interface ServerOptions {
  readonly routes: RouteDependencies;
  readonly health: HealthOptions;
  readonly admit: Admit;
  readonly addressWindow: AddressWindow;
  readonly bounds: Bounds;
  readonly bodyBuffer: SharedBudget;
  readonly uploads: UploadDependencies;
  readonly store: ObjectStore;
  readonly trustProxy: readonly string[];
  readonly log: Logger;
  readonly clock: Clock;
  readonly loadLimits?: LoadLimits | undefined;
  /** The console's page, if built. */
  readonly pages: ConsolePages | undefined;
  readonly stripe: StripePage | undefined;
  readonly isMissingPage: (request: FastifyRequest) => Promise<boolean>;
  /** The guide and the reference, if built. Otherwise /docs redirects to the description. */
  readonly guide: GuidePages | undefined;
  readonly plugins: readonly FastifyPluginAsync[];
}

interface BuiltServer {
  readonly app: FastifyInstance;
  readonly boundedRoutes: readonly BoundedRoute[];
  readonly lateRefusals: LateRefusals;
}

export async function buildServer(options: ServerOptions): Promise<BuiltServer> {
  const { routes, admit, store, log, bounds, addressWindow } = options;
  const isBehindProxy = options.trustProxy.length > 0;
  const lateRefusals = createLateRefusals({ clock: options.clock, bounds, isBehindProxy });
  const headersMs = bounds.REQUEST_HEADERS_SECONDS * 1_000;
  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    trustProxy: isBehindProxy ? [...options.trustProxy] : false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: { compilersFactory: { buildSerializer } },
    forceCloseConnections: 'idle',
    // Requests on open connections are still served during shutdown.
    return503OnClosing: false,
    clientErrorHandler: createMalformedHttpRefusal({ addressWindow, lateRefusals }),
    http: {
      // Node would send an empty body; see requireHost.
      requireHostHeader: false,
      headersTimeout: headersMs,
      connectionsCheckingInterval: Math.min(CHECK_HEADERS_EVERY_MS, headersMs / 2),
    },
    // A path that the router cannot decode reaches no hook, so it is counted and answered here.
    frameworkErrors: (error, request, reply) => {
      startTrace(request, reply);
      admit(request, reply).then(
        () => sendError(error, request, reply, log),
        (refusal) => {
          request.addressRefusal = toApiError(refusal).details.addressRefusal;
          lateRefusals.schedule(request, reply, () => sendError(refusal, request, reply, log));
        },
      );
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  const byPath = createRoutesByPath();
  app.addHook('onRoute', ({ url, method }) => byPath.add(url, [method].flat()));
  const boundedRoutes = requireBounds(app);
  app.setValidatorCompiler(validatorCompiler);
  app.decorateRequest('principal', undefined);
  addJsonBodies(app);
  addRequestTrace(app, log);
  addRequestMetrics(app);
  addTransportSecurity(app, () => isHttps(routes.links.publicBaseUrl()));
  addLoadShedding(app, {
    log,
    clock: options.clock,
    requestsPerMinute: bounds.ADDRESS_REQUESTS_PER_MINUTE,
    ...(options.loadLimits === undefined ? {} : { limits: options.loadLimits }),
  });
  addLateRefusals(app, lateRefusals);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    await admit(request, reply);
    requireHost(request);
  });
  addBodyIntake(app, { bounds, buffer: options.bodyBuffer });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Tells the client to send no further request on a closing connection.
    if (options.health.isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
  const pages = configuredPages(options.pages, {
    issuer: routes.credentials.externalIssuer,
    stripe: options.stripe,
  });
  addErrorHandling(app, byPath, log, { notFoundPage: pages?.document });
  // Unknown expectations may be ignored (RFC 9110, section 10.1.1). Node's own response has no body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  await addApiDescription(app);

  await app.register(healthRoutes(options.health));
  await app.register(keySetRoutes(routes.credentials.ownKeys));
  await app.register(downloadRoutes(routes.links, store));
  await app.register(uploadRoutes({ links: routes.links, uploads: options.uploads, addressWindow }));
  await app.register(
    tusRoutes({ links: routes.links, services: routes.services, uploads: options.uploads, addressWindow }),
  );
  await app.register(paymentEventRoutes(routes.services, addressWindow));
  await app.register(apiRoutes(routes, log), { prefix: '/api/v1' });
  await app.register(mcpRoutes);
  await app.register(consoleRoutes(routes, log));
  await app.register(consolePages(pages, { isMissing: options.isMissingPage }));
  await app.register(guidePages(options.guide));
  for (const plugin of options.plugins) await app.register(plugin);
  return { app, boundedRoutes, lateRefusals };
}

/** RFC 9112, section 3.2: only HTTP/1.0 may omit Host. */
function requireHost({ raw }: FastifyRequest): void {
  if (raw.headers.host === undefined && raw.httpVersion !== '1.0') {
    throw new ApiError('INVALID_PARAMS', 'The request has no Host header.');
  }
}

/** A route without a query schema accepts no query parameters. */
const NO_QUERY = Type.Object({}, CLOSED);

function apiRoutes(routes: RouteDependencies, log: Logger): FastifyPluginAsync {
  return async (api) => {
    api.addHook('onRoute', (route) => {
      route.schema = { querystring: NO_QUERY, ...route.schema };
    });
    addIdempotencyKeys(api);
    addRequestDeadlines(api);
    addLimitChanges(api, routes.credentials, log);
    await api.register(sessionRoutes(routes));
    await api.register(apiKeyRoutes(routes));
    await api.register(splitRoutes(routes));
    await api.register(batchRoutes(routes));
    await api.register(presetRoutes(routes));
    await api.register(connectionRoutes(routes));
    await api.register(uploadLinkRoutes(routes));
    await api.register(tusCreationRoutes(routes));
    await api.register(accountRoutes(routes));
    await api.register(securityRoutes(routes));
    await api.register(billingRoutes(routes));
    await api.register(webhookRoutes(routes));
  };
}
