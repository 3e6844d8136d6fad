import type { Clock } from '@audiosplit/chassis/clock';
import type { IdentityKeys } from '@audiosplit/chassis/identity/keys';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { drainDelay } from '@audiosplit/chassis/process/drain-delay';
import type { Logger } from '@audiosplit/chassis/process/log';
import { createCaller, type RpcAddress } from '@audiosplit/chassis/rpc/client';
import type { FastifyPluginAsync } from 'fastify';
import { exposeBounds } from './bounds/bound-metrics.ts';
import type { BoundedRoute } from './bounds/route-bounds.ts';
import { createSharedBudget } from './bounds/shared-budget.ts';
import type { GatewayConfig } from './config.ts';
import { createMissingPageCheck } from './console/missing-page.ts';
import type { ConsolePages } from './console/pages.ts';
import { createCredentials } from './credentials/credentials.ts';
import { createKeyUseRecorder } from './credentials/key-use-recorder.ts';
import type { GuidePages } from './docs/guide-pages.ts';
import { createDownloadLinks } from './downloads/download-links.ts';
import { createJobEventStreams } from './events/job-event-streams.ts';
import { createJobWatch } from './events/job-watch.ts';
import { createStreamSlots } from './events/stream-slots.ts';
import { createAddressWindow } from './http/admission/address-window.ts';
import { createAdmission, createCallCounter } from './http/admission/admission.ts';
import type { LoadLimits } from './http/admission/load-shedding.ts';
import { createSuspectPlaces } from './http/admission/suspect-places.ts';
import { boundConnections } from './http/server/connections.ts';
import { createDependencyCheck, exposeDependencies } from './http/server/dependencies.ts';
import { closeWithin, listen } from './http/server/listening.ts';
import { buildServer } from './http/server/server.ts';
import { measureLimiter } from './rate-limit/limiter-metrics.ts';
import type { RateLimiter } from './rate-limit/rate-limiter.ts';
import { connectServices } from './services.ts';
import { createUploadMemory } from './uploads/upload-memory.ts';
import { createUploadReports } from './uploads/upload-reports.ts';

/** The gateway's dependencies. Their creator closes them. */
export interface GatewayDependencies {
  /** Address of each service, by its name in SERVICE_NAMES. */
  readonly addressOf: (service: string) => RpcAddress;
  readonly limiter: RateLimiter;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly clock: Clock;
  readonly keys: IdentityKeys;
  /** The console's page, if built. */
  readonly pages?: ConsolePages | undefined;
  /** The guide, if built. */
  readonly guide?: GuidePages | undefined;
  /** Further routes, outside of the API. */
  readonly plugins?: readonly FastifyPluginAsync[];
  /** Default: as in load-shedding.ts. */
  readonly loadLimits?: LoadLimits;
  /** Absent: no delay, because no balancer has to notice. */
  readonly drain?: GatewayDrain;
}

/** See docs/decisions/0026. */
interface GatewayDrain {
  readonly delayMs: number;
  readonly requestsMs: number;
  /** Cuts the delay short. */
  readonly skipDelay: AbortSignal;
}

interface Gateway extends AsyncDisposable {
  /** A URL for this machine. */
  readonly url: string;
  readonly boundedRoutes: readonly BoundedRoute[];
}

const DEFAULT_DRAIN: GatewayDrain = {
  delayMs: 0,
  requestsMs: 20_000,
  skipDelay: new AbortController().signal,
};

/** The longest interval at which followed jobs are polled; docs/decisions/0014 explains why. */
const LOOK_AT_JOBS_EVERY_MS = 1_000;
/** Common proxies close a silent connection after 60 s, some after 30. */
const HEARTBEAT_EVERY_MS = 15_000;

/**
 * Starts listening. Throws a one-line StartError that says what to change. Disposing it reports not ready and closes
 * connections after each response; after the delay it ends event streams, refuses connections, and waits for requests
 * in flight and reports of key uses.
 */
export async function startGateway(
  config: GatewayConfig,
  dependencies: GatewayDependencies,
): Promise<Gateway> {
  const { store, log, clock, drain = DEFAULT_DRAIN } = dependencies;
  const { bounds } = config;
  await using starting = new AsyncDisposableStack();
  const { limiter } = starting.use(measureLimiter(dependencies.limiter, clock));
  const caller = createCaller({ keys: dependencies.keys, clock });
  const services = connectServices(caller, dependencies.addressOf);
  const credentials = createCredentials({
    auth: services.auth,
    jwt: config.jwt,
    clock,
    log,
    verifiedKeys: limiter,
  });
  let url = '';
  const links = { publicBaseUrl: () => config.publicBaseUrl ?? url, secret: config.downloadSecret, clock };
  let isDraining = false;

  const checkDependencies = createDependencyCheck({ limiter, store, authHealth: services.authHealth, log });
  starting.use(exposeDependencies(checkDependencies));
  const keyUses = starting.use(createKeyUseRecorder(services.auth, clock, log));
  const slots = createStreamSlots({
    perAccount: bounds.STREAMS_PER_ACCOUNT,
    perAddress: bounds.STREAMS_PER_ADDRESS,
  });
  const eventStreams = createJobEventStreams({
    watch: createJobWatch({ jobs: services.jobs, log, lookEveryMs: LOOK_AT_JOBS_EVERY_MS }),
    log,
    heartbeatEveryMs: HEARTBEAT_EVERY_MS,
    slots,
  });
  const suspectPlaces = {
    auth: createSuspectPlaces(bounds.SUSPECT_LOOKUPS),
    billing: createSuspectPlaces(bounds.SUSPECT_LOOKUPS),
  };
  const addressWindow = createAddressWindow({
    limiter,
    clock,
    requestsPerMinute: bounds.ADDRESS_REQUESTS_PER_MINUTE,
    suspectPlaces,
  });
  const uploadMemory = createUploadMemory(bounds.UPLOAD_BUFFER_BYTES);
  const uploadReports = starting.use(createUploadReports(services.jobs, log));
  const bodyBuffer = createSharedBudget({ limitBytes: bounds.BODY_BUFFER_BYTES });
  const { app, boundedRoutes, lateRefusals } = await buildServer({
    routes: {
      services,
      credentials,
      links,
      downloads: createDownloadLinks(links),
      eventStreams,
      store,
      countCalls: createCallCounter({ limiter, clock }),
    },
    health: { checkDependencies, isDraining: () => isDraining },
    admit: createAdmission({ credentials, limiter, addressWindow, bounds, keyUses, clock }),
    addressWindow,
    bounds,
    bodyBuffer,
    uploads: { store, memory: uploadMemory, reports: uploadReports, bounds },
    store,
    trustProxy: config.trustProxy,
    log,
    clock,
    loadLimits: dependencies.loadLimits,
    pages: dependencies.pages,
    stripe: config.stripe,
    isMissingPage: createMissingPageCheck({ credentials, services, limiter, bounds }),
    guide: dependencies.guide,
    plugins: dependencies.plugins ?? [],
  });
  const connections = boundConnections(app.server, {
    max: bounds.MAX_CONNECTIONS,
    ofAddresses:
      config.trustProxy.length > 0
        ? undefined
        : {
            perAddress: bounds.CONNECTIONS_PER_ADDRESS,
            floodsPerSecond: bounds.FLOOD_CONNECTIONS_PER_SECOND,
            isFlooding: lateRefusals.isFlooding,
            clock,
          },
  });
  starting.use(
    exposeBounds(bounds, {
      SUSPECT_LOOKUPS: () => Math.max(suspectPlaces.auth.taken, suspectPlaces.billing.taken),
      MAX_DELAYED_REFUSALS: () => lateRefusals.paused,
      STREAMS_PER_ACCOUNT: () => slots.fullestAccount,
      STREAMS_PER_ADDRESS: () => slots.fullestAddress,
      MAX_CONNECTIONS: () => connections.open,
      CONNECTIONS_PER_ADDRESS: () => connections.fullest,
      UNIDENTIFIED_BODY_BYTES: () => bodyBuffer.fullestShareBytes,
      BODY_BUFFER_BYTES: () => bodyBuffer.usedBytes,
      UPLOAD_BUFFER_BYTES: () => uploadMemory.usedBytes,
    }),
  );
  starting.defer(() => closeWithin(app, drain.requestsMs));
  // Streams would last as long as their jobs. Clients reconnect to another gateway.
  starting.use(eventStreams);
  starting.defer(async () => {
    isDraining = true;
    await drainDelay(drain.delayMs, drain.skipDelay);
  });
  url = await listen(app, config);
  log.info({ url }, 'serving');
  const running = starting.move();
  return { url, boundedRoutes, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
