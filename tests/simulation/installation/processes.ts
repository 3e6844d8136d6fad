/** The processes of an installation: the services' own start functions, with settings for a simulation. */
import { join } from 'node:path';
import { startBilling } from '@audiosplit/billing/service';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { startJobs } from '@audiosplit/jobs/service';
import { readSplitterConfig } from '@audiosplit/splitter/config';
import { startSplitter } from '@audiosplit/splitter/service';
import { startWebhooks } from '@audiosplit/webhooks/service';
import { breakPayments } from '../faults/flaws.ts';
import { createSimulatedReceiver, createSimulatedSources } from '../ports/egress.ts';
import { createSimulatedEngine } from '../ports/engine.ts';
import type { SimulatedProcess } from '../world/process.ts';
import type { Installation } from './installation.ts';

type StartService = (
  context: ServiceContext,
  installation: Installation,
  process: SimulatedProcess,
) => Promise<RunningService>;

export interface ProcessPlan {
  readonly name: string;
  readonly service: 'billing' | 'jobs' | 'webhooks' | 'splitter';
  readonly start: StartService;
}

export const SEGMENT_RETENTION_MS = 7 * 86_400_000;
const SECRET = 'a secret of more than thirty-two bytes';
const EGRESS = { allowCidrs: [], allowUrlPrefixes: [] };
const MAX_CONNECTIONS = 8;
/**
 * Polls are rare, because a relay is notified after each commit: a poll finds only events without a
 * notification.
 */
const RELAY_POLL_MS = 240_000;
/** Instead of 500 ms, which would cause most of the calls of a run. */
const CHECK_LEASES_EVERY_MS = 5_000;
/** Instead of 2 s, for the same reason. */
const LOOK_FOR_OFFERS_EVERY_MS = 20_000;
/** Instead of 50 ms. */
const LOOK_FOR_FIRST_OFFERS_EVERY_MS = 5_000;

const jobs: StartService = (context) =>
  startJobs(
    {
      maxDatabaseConnections: MAX_CONNECTIONS,
      leaseMs: 10_000,
      wallClockLimitMs: 7_200_000,
      segmentRetentionMs: SEGMENT_RETENTION_MS,
      uploads: { perConcurrentJob: 2, unusedPerFileSize: 2 },
      maxDrawingMs: 60_000,
      maxConnections: 20,
      reapEveryMs: 40_000,
    },
    context,
    { relayPollMs: RELAY_POLL_MS },
  );

const billing: StartService = (context, { payments, world, flaw }) =>
  startBilling(
    {
      maxDatabaseConnections: MAX_CONNECTIONS,
      invoiceSeller: ['Audiosplit'],
      payment: { provider: 'sandbox' },
    },
    context,
    {
      provider: breakPayments(payments.provider, world, flaw),
      drawInvoice: async ({ invoice }) => Buffer.from(`${invoice.number} ${invoice.status}`),
      relayPollMs: RELAY_POLL_MS,
    },
  );

const webhooks: StartService = (context, installation) =>
  startWebhooks(
    {
      maxDatabaseConnections: MAX_CONNECTIONS,
      egress: EGRESS,
      dnsServers: [],
      attempts: { inFlight: 20, perAccount: 4, perHost: 2, pendingPerAccount: 10_000 },
      secret: SECRET,
    },
    context,
    { egress: createSimulatedReceiver(installation) },
  );

const splitter: StartService = (context, installation, { name }) =>
  startSplitter(
    readSplitterConfig({
      SPLITTER_CONCURRENCY: '2',
      SPLITTER_FETCHES: '2',
      SPLITTER_PARTS: 'true',
      SCRATCH_DIR: join(installation.scratchDir, name),
      DRAIN_GRACE_SECONDS: '0',
    }),
    context,
    {
      engine: createSimulatedEngine(installation.world),
      egress: createSimulatedSources(installation),
      checkLeasesEveryMs: CHECK_LEASES_EVERY_MS,
      lookForOffersEveryMs: LOOK_FOR_OFFERS_EVERY_MS,
      lookForFirstOffersEveryMs: LOOK_FOR_FIRST_OFFERS_EVERY_MS,
    },
  );

export const PROCESSES: readonly ProcessPlan[] = [
  { name: 'billing', service: 'billing', start: billing },
  { name: 'jobs-1', service: 'jobs', start: jobs },
  { name: 'jobs-2', service: 'jobs', start: jobs },
  { name: 'webhooks', service: 'webhooks', start: webhooks },
  { name: 'splitter-1', service: 'splitter', start: splitter },
  { name: 'splitter-2', service: 'splitter', start: splitter },
  { name: 'splitter-3', service: 'splitter', start: splitter },
];
