/** Purges an account that has used everything; no table and no prefix keeps anything of it. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { accountScope, runWithIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { fromCutFields } from '@audiosplit/proto/cut';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { startInstallation } from '../harness/installation/start-installation.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Traces {
  readonly accountId: string;
  readonly email: string;
  readonly secret: string;
  readonly runningJob: { readonly jobId: string; readonly fence: bigint };
  readonly queuedJobId: string;
  /** The words by which its rows and files are found: those of the account and of everything it created. */
  readonly words: readonly string[];
}

describe('a purge', () => {
  const all = forSuite(() => startInstallation({ kind: 'scripted' }));

  const aSplit = () => ({
    request: {
      sourceUrl: 'https://example.com/a.mp3',
      cut: fromCutFields({ splitMode: 'duration', segmentDuration: 60 }),
    },
    webhookUrl: all.hookUrl,
  });

  const put = (key: string) =>
    all.store.put(key, Readable.from([Buffer.from('mp3')]), { contentType: 'audio/mpeg' });

  /**
   * An account with keys, jobs in every state, segments, uploads, invoices, deliveries, an export and stored
   * responses.
   */
  async function makeAccount(name: string): Promise<Traces> {
    const email = `${name}-${randomUUID()}@example.com`;
    const { session } = await all.auth.register({ email, password: 'correct horse battery', name });
    const accountId = session?.account?.id ?? '';
    const as = () => all.actingFor(accountId);
    const scope = accountScope(accountId, 'jwt');
    const once = <T>(work: () => Promise<T>): Promise<T> =>
      runWithIdempotencyKey({ scope, key: randomUUID(), fingerprint: 'f', replayed: false }, work);
    const { apiKey, secret } = await once(() => all.auth.createApiKey({ name: 'key' }, as()));
    await all.billing.setPaymentMethod({ token: 'tok_visa' }, as());
    await once(() => all.billing.subscribe({ planId: 'plan_starter' }, as()));
    const { invoices } = await all.billing.listInvoices({ page: 1, limit: 20 }, as());
    await all.billing.cancelSubscription({ immediate: true }, as());

    const bucket = {
      region: 'us-east-1',
      bucket: 'audio',
      accessKeyId: 'AKIA1',
      secretAccessKey: 'a secret key',
    };
    await all.connections.createConnection({ name: 'archive', bucket }, as());
    await all.webhooks.putEndpoint({ url: all.hookUrl, events: ['usage.threshold'] }, as());
    const jobIds: string[] = [];
    const create = async () => {
      const { job: { id } = assert.fail() } = await once(() => all.jobs.createJob(aSplit(), as()));
      jobIds.push(id);
      return id;
    };
    await all.complete(await create());
    const runningJob = await all.claim(await create());
    await put(`jobs/${runningJob.jobId}/${runningJob.fence}/a-0.mp3`);
    await all.claim(await create());
    const queuedJobId = await create();
    const { uploadId } = await all.jobs.reserveUpload({ sizeBytes: 1_000n }, as());
    await put(`uploads/${accountId}/${uploadId}/a.mp3`);

    await until(async () => {
      const { deliveries } = await all.webhooks.listDeliveries({ page: 1, limit: 20 }, as());
      return deliveries.length >= 4 && deliveries.every(({ status }) => status === 'delivered');
    }, 'notifications are delivered');
    await until(async () => (await all.billing.getUsage({ period: 'current' }, as())).jobsCompleted === 1n);
    const begun = await once(() => all.account.createExport({ format: 'csv' }, as()));
    const exportId = begun.export?.id ?? '';
    await until(async () => (await all.account.getExport({ exportId }, as())).export?.status === 'completed');
    const words = [accountId, email, apiKey?.id ?? '', exportId, ...invoices.map(({ id }) => id), ...jobIds];
    assert.ok(words.every((word) => word.length > 8));
    return { accountId, email, secret, runningJob, queuedJobId, words };
  }

  /** The number of rows per table that mention the account; tables without any are omitted. */
  async function rowsOf({ words }: Traces): Promise<Record<string, number>> {
    const { rows: tables } = await all.sql.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by name`,
    );
    assert.ok(tables.length > 40, 'every schema is looked into');
    const found: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await all.sql.query<{ count: string }>(
        `select count(*) from ${name} as t
         where exists (select from unnest($1::text[]) as word where position(word in t::text) > 0)`,
        [words],
      );
      if (rows[0]?.count !== '0') found[name] = Number(rows[0]?.count);
    }
    return found;
  }
  const filesOf = async ({ words }: Traces) =>
    (await all.storedFiles()).filter((path) => words.some((word) => path.includes(word)));
  const withoutBus = (rows: Record<string, number>) =>
    Object.fromEntries(Object.entries(rows).filter(([name]) => !name.startsWith('bus.')));

  /** By schema: the tables with rows of every account that has used everything. */
  const TABLES_IN_USE = {
    account: 'accounts exports idempotency_keys',
    auth: 'accounts api_keys idempotency_keys sessions',
    billing:
      'accounts charges idempotency_keys invoice_lines invoices job_usage payment_methods subscriptions',
    jobs: 'account_limits account_queues connections idempotency_keys jobs segments',
    webhooks: 'deliveries endpoints signing_secrets',
  };
  const TOMBSTONES = {
    'account.purges': 1,
    'auth.account_deletions': 1,
    'billing.purged_accounts': 1,
    'jobs.purged_accounts': 1,
    'webhooks.purged_accounts': 1,
  };

  // Covers D-6.4 I-3.3.1
  it('removes everything of the account, and nothing of the others', async () => {
    const bystander = await makeAccount('bystander');
    const leaver = await makeAccount('leaver');
    const as = () => all.actingFor(leaver.accountId);
    const tables = Object.keys(await rowsOf(leaver));
    for (const [schema, names] of Object.entries(TABLES_IN_USE))
      for (const name of names.split(' '))
        assert.ok(tables.includes(`${schema}.${name}`), `the account has rows in ${schema}.${name}`);
    const places = (await filesOf(leaver)).map(
      (path) => /\/\+(jobs|uploads|invoices|exports)\//.exec(path)?.[1],
    );
    assert.deepEqual(new Set(places), new Set(['jobs', 'uploads', 'invoices', 'exports']));
    await until(async () =>
      Object.keys(await rowsOf(bystander)).every((name) => !/outbox|mails|_private/.test(name)),
    );
    const rowsBefore = withoutBus(await rowsOf(bystander));
    const filesBefore = (await filesOf(bystander)).sort();

    // The account is closed at once: keys are invalid, waiting jobs dropped, new jobs refused; running jobs
    // may finish.
    const secretSha256 = createHash('sha256').update(leaver.secret).digest();
    await all.auth.verifyApiKey({ secretSha256 });
    await all.account.deleteAccount({ confirmation: 'DELETE MY ACCOUNT' }, as());
    await until(async () => {
      const { pendingDeletion } = await all.auth.getAccountLimits({ accountId: leaver.accountId });
      return pendingDeletion;
    });
    await refusal(all.auth.verifyApiKey({ secretSha256 }), 'UNAUTHORIZED');
    const statusOf = async (jobId: string) => (await all.jobs.getJob({ jobId }, as())).job;
    await until(async () => (await statusOf(leaver.queuedJobId))?.status === JobStatus.FAILED);
    assert.equal((await statusOf(leaver.queuedJobId))?.error?.code, 'CANCELED');
    assert.equal((await statusOf(leaver.runningJob.jobId))?.status, JobStatus.PROCESSING);
    await refusal(all.jobs.createJob(aSplit(), as()), 'ACCOUNT_PENDING_DELETION');
    await all.leases.renewLease({ ...leaver.runningJob, progressPercent: 10 });

    // After a restore the keys work; after another closing the grace period starts again.
    await all.account.restoreAccount({}, as());
    const succeeds = (call: () => Promise<unknown>) =>
      until(() =>
        call().then(
          () => true,
          () => false,
        ),
      );
    await succeeds(() => all.auth.verifyApiKey({ secretSha256 }));
    await succeeds(() => all.jobs.createJob(aSplit(), as()));
    await all.account.deleteAccount({ confirmation: 'DELETE MY ACCOUNT' }, as());

    all.advance(14 * DAY_MS);
    await all.runTask('account', 'purge-accounts');
    const isGone = async () => {
      const rows = withoutBus(await rowsOf(leaver));
      return Object.keys(rows).every((name) => name in TOMBSTONES || name === 'jobs.doomed_prefixes');
    };
    await until(isGone, 'every service has purged the account');
    await refusal(all.leases.renewLease({ ...leaver.runningJob, progressPercent: 20 }), 'LEASE_LOST');

    // Late or repeated events bring nothing back.
    const at = { seconds: BigInt(Math.floor(Date.now() / 1000)), nanos: 0 };
    const late = all.tell;
    await late(leaver.accountId, {
      case: 'splitStatusChanged',
      value: {
        jobId: leaver.runningJob.jobId,
        status: 'completed',
        splitMode: 'duration',
        createdAt: at,
        completedAt: at,
        webhookUrl: all.hookUrl,
        sourceDurationMs: 1_000n,
        storedBytes: 5n,
      },
    });
    await late(leaver.accountId, { case: 'accountRegistered', value: { email: leaver.email, name: '' } });
    await late(leaver.accountId, { case: 'accountDeletionRequested', value: {} });
    await late(leaver.accountId, { case: 'accountRestored', value: {} });
    const limits = { planId: 'plan_free', concurrentJobs: 1, revision: 99n };
    await late(leaver.accountId, { case: 'accountLimitsChanged', value: { limits } });
    const finished = { exportId: 'exp_1', status: 'completed', format: 'json', webhookUrl: all.hookUrl };
    await late(leaver.accountId, { case: 'exportFinished', value: finished });
    await untilConsumed();

    // Skips the minutes during which a worker that has lost its job may still store files.
    await all.sql.query('update jobs.doomed_prefixes set delete_after = now()');
    await all.runTask('jobs', 'sweep-objects');
    assert.deepEqual(withoutBus(await rowsOf(leaver)), TOMBSTONES);
    assert.deepEqual(await filesOf(leaver), []);
    const { rows: named } = await all.sql.query('select * from billing.purged_accounts');
    assert.equal(named.length, 1);
    assert.deepEqual(Object.keys(named[0]), ['account_id', 'purged_at']);

    // The event is published again on later days. Within the promised 30 days even the id is removed.
    for (const passedMs of [HOUR_MS, DAY_MS, 7 * DAY_MS]) {
      all.advance(passedMs);
      await all.runTask('account', 'purge-accounts');
    }
    await all.published('accountPurged', leaver.accountId, 4);
    await untilConsumed();
    await all.runTask('jobs', 'sweep-objects');
    all.advance(7 * DAY_MS);
    for (const schema of ['account', 'auth', 'billing', 'jobs', 'webhooks'])
      await all.runTask(schema, 'prune');
    // The bus's retention uses the database's clock.
    await all.sql.query("update bus.messages set published_at = published_at - interval '8 days'");
    await all.pruneBus();
    assert.deepEqual(await rowsOf(leaver), {});

    const rowsAfter = withoutBus(await rowsOf(bystander));
    // Stored responses and mailed links expire by themselves.
    for (const [name, count] of Object.entries(rowsBefore))
      if (!/idempotency_keys|sign_in_links/.test(name))
        assert.equal(rowsAfter[name], count, `the other's ${name}`);
    assert.deepEqual((await filesOf(bystander)).sort(), filesBefore);
  });

  /** Waits until every group has handled all messages on the bus. */
  async function untilConsumed(): Promise<void> {
    await until(async () => {
      const { rowCount } = await all.sql.query(
        `select from bus.group_partitions g join bus.partitions p using (topic, partition)
         where g.position < p.next_position and g.topic not like '%split-requests%'`,
      );
      return rowCount === 0;
    }, 'all events are handled');
  }
});
