/**
 * The typed client of the gateway. Queries of the same moment share a request; a repeated mutation takes effect once.
 */
import type { ConsoleRouter } from '@audiosplit/gateway/console/router';
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  retryLink,
  splitLink,
  type TRPCClientError,
} from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { isSessionOver } from './failure.ts';
import { holderLink, sessionLink } from './session-link.ts';

export { type Failure, failureOf } from './failure.ts';

type Outputs = inferRouterOutputs<ConsoleRouter>;
type Inputs = inferRouterInputs<ConsoleRouter>;
export type ListedJob = Outputs['jobs']['list']['data'][number];
export type JobList = Outputs['jobs']['list'];
export type FoundJobs = Outputs['jobs']['search'];
export type PresetList = Outputs['presets']['list'];
export type RemovedJobs = Outputs['jobs']['removeMany'];
export type Job = Outputs['jobs']['get'];
export type CompletedJob = Extract<Job, { status: 'completed' }>;
export type Batch = Outputs['batches']['get'];
export type BatchJobs = Outputs['batches']['jobs'];
export type Connection = Outputs['connections']['list']['data'][number];
export type ConnectionTest = Outputs['connections']['test'];
export type NewConnection = Inputs['connections']['create'];
export type Fetching = NonNullable<Extract<Job, { status: 'processing' }>['fetching']>;
export type FailedJob = Extract<Job, { status: 'failed' }>;
export type DrawnWaveform = NonNullable<Outputs['jobs']['waveform']>;
export type Segment = CompletedJob['segments'][number];
export type ApiKey = Outputs['keys']['list']['data'][number];
export type UsageReport = Outputs['account']['usage'];
export type AccountInfo = Outputs['account']['get'];
export type BillingInfo = Outputs['billing']['get'];
export type Plan = Outputs['billing']['plans'][number];
export type PaidPlanId = Inputs['billing']['preview']['planId'];
export type PlanPreview = Outputs['billing']['preview'];
export type Invoice = Outputs['billing']['invoices']['data'][number];
export type WebhookEndpoint = NonNullable<Outputs['webhooks']['endpoint']>;
export type Delivery = Outputs['webhooks']['deliveries']['data'][number];
export type Security = Outputs['security']['get'];
export type SignedInSession = Outputs['security']['sessions']['data'][number];
export type DataExport = Outputs['account']['exports']['data'][number];

const url = '/console/trpc';
/** The gateway's limit for one request. */
const MAX_BATCH = 8;
const MAX_ATTEMPTS = 3;
const RETRY_AFTER_MS = 400;
/** Longer than the gateway takes for any query, so the connection is dead. */
const QUERY_TIMEOUT_MS = 10_000;

export const api = createTRPCClient<ConsoleRouter>({
  links: [
    sessionLink,
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({ url }),
      false: [
        // Repeats calls without a response, or refused by a stopping gateway. The idempotency key keeps them from
        // taking effect twice.
        retryLink({
          retry: ({ op, error, attempts }) =>
            attempts < MAX_ATTEMPTS &&
            op.signal?.aborted !== true &&
            !op.path.startsWith('session.') &&
            isTemporary(error),
          retryDelayMs: (attempt) => RETRY_AFTER_MS * 2 ** attempt,
        }),
        holderLink,
        splitLink({
          condition: ({ type }) => type === 'mutation',
          true: httpLink({
            url,
            headers: ({ op }) => ({
              'x-audiosplit-console': '1',
              ...(typeof op.context.idempotencyKey === 'string'
                ? { 'idempotency-key': op.context.idempotencyKey }
                : {}),
            }),
          }),
          false: httpBatchLink({
            url,
            maxItems: MAX_BATCH,
            fetch: (input, init) =>
              fetch(input, {
                ...init,
                signal: AbortSignal.any([
                  ...(init?.signal ? [init.signal] : []),
                  AbortSignal.timeout(QUERY_TIMEOUT_MS),
                ]),
              }),
          }),
        }),
      ],
    }),
  ],
});

function isTemporary(error: TRPCClientError<ConsoleRouter>): boolean {
  if (isSessionOver(error)) return false;
  return error.data === undefined || error.data === null || error.data.code === 'SERVICE_UNAVAILABLE';
}
