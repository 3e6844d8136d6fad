/** Closing an account, restoring it, and exporting its data. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import type { Audiosplit, Export } from '@audiosplit/client';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import {
  assertRefused,
  assertRefuses,
  call,
  connect,
  download,
  register,
  registerWithKey,
  sampleBy,
} from './api.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();

const DAY_MS = 86_400_000;
const CONFIRMED = { confirmation: 'DELETE MY ACCOUNT' } as const;

/** The message with this subject to this address, from the folder that replaces a mail server. */
async function untilMailed({ dataDir }: Product, address: string, subject: string): Promise<string> {
  const folder = join(dataDir, 'mail');
  let found: string | undefined;
  const isWritten = async () => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
    const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    found = mails.find((mail) =>
      [`To: ${address}`, `Subject: ${subject}`].every((header) => mail.includes(`\r\n${header}\r\n`)),
    );
    return found !== undefined;
  };
  await until(isWritten, `"${subject}" is mailed`, 10_000);
  return found ?? '';
}

// Covers I-4.7.1 I-4.7.2 I-3.3.1 I-8.18 D-6.1 D-6.3 D-6.5 D-6.6 D-6.7 D-6.15 D-9.24 D-9.36
scenario(
  'an account is closed with the exact confirmation, its keys stop at once, and it can be restored',
  { covers: ['DELETE /api/v1/account'] },
  async (product) => {
    const { client, session } = await registerWithKey(product);
    const { accessToken, account } = session;
    await assertRefuses(connect(product).deleteAccount(CONFIRMED), 401, 'UNAUTHORIZED');
    const wrong = { accessToken, body: { confirmation: 'delete my account' } };
    const answer = await call(product, 'DELETE /api/v1/account', wrong);
    const [detail, ...others] = assertRefused(answer, 400, 'INVALID_PARAMS').details ?? [];
    assert.deepEqual([detail?.field, others], ['confirmation', []]);

    const close = async () => {
      const { message, deletionScheduledAt, ...rest } = await client.deleteAccount(CONFIRMED);
      assert.deepEqual(rest, {});
      assert.ok(message);
      return deletionScheduledAt;
    };
    const askedAt = Date.now();
    const deletionScheduledAt = await close();
    const inDays = (Date.parse(deletionScheduledAt) - askedAt) / DAY_MS;
    assert.ok(inDays > 14 && inDays <= 30 + 1 / 1440, deletionScheduledAt);
    const keyWorks = () =>
      client.listSplits({ limit: 1 }).then(
        () => true,
        () => false,
      );
    // Gateways receive the change one by one. More requests would exceed the ten that the Free plan allows in
    // a minute.
    const isClosed = async () => {
      await sleep(700);
      return !(await keyWorks()) && !(await keyWorks());
    };
    await until(isClosed, 'every gateway refuses the key', 5_000);
    await assertRefuses(client.listSplits(), 401, 'UNAUTHORIZED');
    assert.equal(await close(), deletionScheduledAt, 'asked again');
    assert.equal((await client.getAccount()).deletionScheduledAt, deletionScheduledAt);
    // They cache for a second which account a key belongs to.
    await sleep(1_000);
    await assertRefuses(client.getBilling(), 403, 'ACCOUNT_PENDING_DELETION');

    const { id, deletionScheduledAt: none } = await client.restoreAccount();
    assert.deepEqual([id, none], [account.id, undefined]);
    const isOpen = async () => {
      await sleep(700);
      return keyWorks();
    };
    await until(isOpen, 'the key works again', 5_000);
    await untilMailed(product, account.email, 'Your audiosplit account is about to be deleted');
    await untilMailed(product, account.email, 'Your audiosplit account is restored');
  },
);

// Covers I-3.3.2 I-4.7.3 I-7.9
scenario(
  'an account with a subscription is not deleted until the subscription has ended',
  { covers: ['DELETE /api/v1/account'] },
  async (product) => {
    const { client } = await register(product);
    await subscribe(client);
    await assertRefuses(client.deleteAccount(CONFIRMED), 409, 'ACTIVE_SUBSCRIPTION');
    assert.equal((await client.getAccount()).deletionScheduledAt, undefined);
    await client.cancelSubscription({ immediate: true });
    assert.ok((await client.deleteAccount(CONFIRMED)).deletionScheduledAt);
  },
);

/** This also raises the account's request limit. */
async function subscribe(client: Audiosplit): Promise<void> {
  await client.setPaymentMethod({ token: 'tok_visa' });
  await client.subscribe({ planId: 'plan_starter' });
}

async function untilExported(client: Audiosplit, exportId: string): Promise<Export> {
  let found = await client.getExport(exportId);
  const isReady = async () => {
    if (found.status !== 'processing') return true;
    await sleep(1_500);
    found = await client.getExport(exportId);
    return false;
  };
  await until(isReady, 'the export is ready', 60_000);
  assert.equal(found.status, 'completed');
  return found;
}

// Covers I-4.8.2 I-4.8.3 I-4.8.4 I-3.4.1 I-6.2 I-6.3 I-2.9.1 I-2.9.2 D-4.6 D-6.8 D-6.10 D-6.11 D-9.37
scenario(
  'all data is exported into one file, announced by mail and webhook, at most once a day',
  { covers: ['POST /api/v1/account/export'] },
  async (product) => {
    const { client, session } = await registerWithKey(product);
    await subscribe(client);
    await client.waitForJob((await client.createSplit(sampleBy(product, 30))).id);
    assert.equal((await client.listInvoices()).data.length, 1);

    await using receiver = await startReceiver(product.hostAddress);
    const webhookUrl = `${receiver.url}/exports`;
    const begun = await client.createExport({ webhookUrl });
    const { exportId, status, format, estimatedCompletionAt, message, ...rest } = begun;
    assert.match(exportId, /^exp_/);
    assert.deepEqual([status, format, rest], ['processing', 'json', {}]);
    assert.ok(Date.parse(estimatedCompletionAt) > Date.now() && message.length > 0);

    const completed = await untilExported(client, exportId);
    const inDays = (Date.parse(completed.expiresAt ?? '') - Date.now()) / DAY_MS;
    assert.ok(inDays > 6.9 && inDays <= 7, `${inDays} days`);
    const file = await download(completed.downloadUrl);
    assert.equal(completed.sizeBytes, file.length);
    assert.equal(completed.sha256, createHash('sha256').update(file).digest('hex'));
    // A zip contains the names of its files uncompressed.
    const tables = ['account', 'api-keys', 'jobs', 'segments', 'usage', 'invoices', 'webhook-deliveries'];
    for (const name of tables) assert.ok(file.includes(`${name}.json`), name);
    assert.ok(file.includes('invoices/INV-') && file.includes('manifest.json'));

    await until(() => receiver.accepted.length === 1, 'the webhook is called');
    assert.equal(receiver.accepted[0]?.type, 'export.completed');
    const { expiresAt } = completed;
    const announced = { exportId, status: 'completed', format: 'json', expiresAt };
    assert.deepEqual(receiver.accepted[0]?.data, announced);
    const mail = await untilMailed(product, session.account.email, 'Your audiosplit data export is ready');
    const link = /https?:\/\/[^\s"]+\/account\b/.exec(mail.replaceAll('=\r\n', ''))?.[0];
    const page = await fetch(link ?? '', { headers: product.headers });
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);

    const again = await assertRefuses(client.createExport({ format: 'csv' }), 429, 'EXPORT_TOO_FREQUENT');
    const waitSeconds = again.retryAfter ?? 0;
    assert.ok(waitSeconds > 86_000 && waitSeconds <= 86_400, `${waitSeconds} s`);
    const { data } = await client.listExports();
    assert.equal(data.map((each) => each.exportId).join(), exportId);
  },
);

// Covers I-4.8.1 D-6.13
scenario(
  'an export is also available as tables',
  { covers: ['POST /api/v1/account/export'] },
  async (product) => {
    const { accessToken, client } = await register(product);
    await assertRefuses(connect(product).createExport(), 401, 'UNAUTHORIZED');
    const unknown = { accessToken, body: { format: 'xml' } };
    assertRefused(await call(product, 'POST /api/v1/account/export', unknown), 400, 'INVALID_PARAMS');
    const inside = { webhookUrl: 'http://10.0.0.1/' };
    await assertRefuses(client.createExport(inside), 400, 'INVALID_PARAMS');
    const { exportId } = await client.createExport({ format: 'csv' });
    const completed = await untilExported(client, exportId);
    assert.equal(completed.format, 'csv');
    const file = await download(completed.downloadUrl);
    assert.ok(file.includes('jobs.csv') && file.includes('manifest.json') && !file.includes('jobs.json'));
  },
);
