/** Reads the data of an account from the other services, page by page and with the account's own rights. */
import { actingFor } from '@audiosplit/chassis/identity/authorization';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import type { ApiKey, AuthService, SignedInSession } from '@audiosplit/proto/auth/v1/auth';
import type {
  BillingService,
  GetBillingInfoResponse,
  GetUsageResponse,
  Invoice,
} from '@audiosplit/proto/billing/v1/billing';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { Connection, ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import type { Job, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import type { Delivery, Endpoint, WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { Preset } from '../preset.ts';

export interface DataSources {
  readonly auth: Client<typeof AuthService>;
  readonly billing: Client<typeof BillingService>;
  readonly jobs: Client<typeof JobsService>;
  readonly connections: Client<typeof ConnectionsService>;
  readonly webhooks: Client<typeof WebhooksService>;
}

export interface AccountData {
  apiKeys(): AsyncIterable<readonly ApiKey[]>;
  sessions(): AsyncIterable<readonly SignedInSession[]>;
  jobs(): AsyncIterable<readonly Job[]>;
  invoices(): AsyncIterable<readonly Invoice[]>;
  deliveries(): AsyncIterable<readonly Delivery[]>;
  /** One, or none. */
  webhookEndpoint(): AsyncIterable<readonly Endpoint[]>;
  /** Without their secrets. */
  connections(): AsyncIterable<readonly Connection[]>;
  presets(): AsyncIterable<readonly Preset[]>;
  /** Every period since the account was created, oldest first. */
  usage(): AsyncIterable<readonly GetUsageResponse[]>;
  billingInfo(): Promise<GetBillingInfoResponse>;
}

interface Reading {
  readonly accountId: string;
  readonly createdAt: Date;
  readonly signal: AbortSignal;
  /** Called before each page. Its error ends the reading. */
  readonly beforePage: () => Promise<void>;
}

const PAGE_SIZE = 100;
/** Long, because pages are large and no client waits. */
const TIMEOUT_MS = 30_000;

export function readAccountData(sources: DataSources, reading: Reading): Omit<AccountData, 'presets'> {
  const { auth, billing, jobs, connections, webhooks } = sources;
  const { accountId, signal, beforePage } = reading;
  const options = () => ({
    ...actingFor({ accountId, scopes: ['splits:read', 'keys:manage'] }),
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  const ask = async <T>(question: (as: ReturnType<typeof options>) => Promise<T>): Promise<T> => {
    await beforePage();
    return question(options());
  };

  return {
    apiKeys: () =>
      readNumberedPages((page) =>
        ask(async (as) => (await auth.listApiKeys({ page, limit: PAGE_SIZE }, as)).apiKeys),
      ),
    async *sessions() {
      yield (await ask((as) => auth.listSessions({}, as))).sessions;
    },
    invoices: () =>
      readNumberedPages((page) =>
        ask(async (as) => (await billing.listInvoices({ page, limit: PAGE_SIZE }, as)).invoices),
      ),
    jobs: () =>
      readTokenPages(async (pageToken) => {
        const answer = await ask((as) => jobs.walkJobs({ pageToken }, as));
        return { items: answer.jobs, nextPageToken: answer.nextPageToken };
      }),
    deliveries: () =>
      readTokenPages(async (pageToken) => {
        const answer = await ask((as) => webhooks.walkDeliveries({ pageToken }, as));
        return { items: answer.deliveries, nextPageToken: answer.nextPageToken };
      }),
    async *webhookEndpoint() {
      const answer = await ask((as) => webhooks.getEndpoint({}, as)).catch((error: unknown) => {
        if (hasReason(error, Reason.NOT_FOUND)) return undefined;
        throw error;
      });
      yield answer?.endpoint === undefined ? [] : [answer.endpoint];
    },
    async *connections() {
      yield (await ask((as) => connections.listConnections({}, as))).connections;
    },
    billingInfo: () => ask((as) => billing.getBillingInfo({}, as)),
    async *usage() {
      const current = await ask((as) => billing.getUsage({ period: 'current' }, as));
      if (current.periodStart === undefined)
        throw new Error('billing returned a usage period without a start');
      for (const period of monthsBetween(reading.createdAt, timestampDate(current.periodStart))) {
        yield [await ask((as) => billing.getUsage({ period }, as))];
      }
      yield [current];
    },
  };
}

/** Numbered pages are sorted newest first. New items shift them, so an item can appear twice and is then skipped. */
async function* readNumberedPages<T extends { readonly id: string }>(
  read: (page: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  const seen = new Set<string>();
  for (let page = 1; ; page++) {
    const items = await read(page);
    yield items.filter(({ id }) => !seen.has(id));
    for (const { id } of items) seen.add(id);
    if (items.length < PAGE_SIZE) return;
  }
}

async function* readTokenPages<T>(
  read: (pageToken: string) => Promise<{ readonly items: readonly T[]; readonly nextPageToken: string }>,
): AsyncGenerator<readonly T[]> {
  let pageToken = '';
  do {
    const page = await read(pageToken);
    yield page.items;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

/** As `YYYY-MM`, from the month of `from` to the one before that of `to`. */
function* monthsBetween(from: Date, to: Date): Generator<string> {
  for (let month = firstOfMonth(from, 0); month < firstOfMonth(to, 0); month = firstOfMonth(month, 1)) {
    yield month.toISOString().slice(0, 7);
  }
}

function firstOfMonth(time: Date, monthsLater: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + monthsLater));
}
