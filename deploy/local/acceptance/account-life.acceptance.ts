/** Leaving and thinking better of it, and taking one's data along. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { register, registerWithKey } from './account.ts';
import {
  assertRefused,
  assertStatus,
  call,
  completeJob,
  createJob,
  type ErrorBody,
  sampleUrl,
} from './api.ts';
import { type Product, until } from './product.ts';
import { scenario, sharedProduct } from './scenario.ts';

const product = sharedProduct({ env: { EGRESS_ALLOW_CIDRS: '127.0.0.0/8' } });

interface Profile {
  readonly id: string;
  readonly email: string;
  readonly deletionScheduledAt?: string;
}

interface Export {
  readonly exportId: string;
  readonly status: string;
  readonly format: string;
  readonly estimatedCompletionAt: string;
  readonly downloadUrl?: string;
  readonly expiresAt?: string;
  readonly sizeBytes?: number;
  readonly sha256?: string;
}

const DAY_MS = 86_400_000;
const CONFIRMED = { confirmation: 'DELETE MY ACCOUNT' };

/** Messages to this address in the folder that stands in for a mail server, oldest first. */
async function mailsTo({ dataDir }: Product, address: string): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return mails.filter((mail) => mail.includes(`\r\nTo: ${address}\r\n`));
}

scenario(
  'an account is closed by the exact words, its keys at once, and can be restored',
  { covers: ['DELETE /api/v1/account'] },
  async () => {
    const running = await product();
    const { session, apiKey } = await registerWithKey(running);
    const { accessToken, account } = session;
    assertRefused(await call(running, 'DELETE /api/v1/account', { body: CONFIRMED }), 401, 'UNAUTHORIZED');
    const wrong = { accessToken, body: { confirmation: 'delete my account' } };
    const refused = assertRefused(
      await call(running, 'DELETE /api/v1/account', wrong),
      400,
      'INVALID_PARAMS',
    );
    assert.deepEqual(
      refused.details?.map(({ field }) => field),
      ['confirmation'],
    );

    const close = async () => {
      const options = { accessToken, body: CONFIRMED };
      const answer = await call<Record<string, string>>(running, 'DELETE /api/v1/account', options);
      const { message, deletionScheduledAt = '', ...rest } = assertStatus(answer, 200);
      assert.deepEqual(rest, {});
      assert.ok(message);
      return deletionScheduledAt;
    };
    const askedAt = Date.now();
    const deletionScheduledAt = await close();
    const inDays = (Date.parse(deletionScheduledAt) - askedAt) / DAY_MS;
    assert.ok(inDays > 14 && inDays <= 30 + 1 / 1440, deletionScheduledAt);
    const keyWorks = async () =>
      (await call(running, 'GET /api/v1/splits?limit=1', { apiKey })).status === 200;
    await until(async () => !(await keyWorks()), 5_000, 'the key is refused');
    assertRefused(await call(running, 'GET /api/v1/splits', { apiKey }), 401, 'UNAUTHORIZED');
    assert.equal(await close(), deletionScheduledAt, 'asked again');
    const profile = await call<Profile>(running, 'GET /api/v1/account', { accessToken });
    assert.equal(assertStatus(profile, 200).deletionScheduledAt, deletionScheduledAt);
    assertRefused(
      await call(running, 'GET /api/v1/billing', { accessToken }),
      403,
      'ACCOUNT_PENDING_DELETION',
    );

    const restored = await call<Profile>(running, 'POST /api/v1/account/restore', { accessToken });
    const { id, deletionScheduledAt: none } = assertStatus(restored, 200);
    assert.deepEqual([id, none], [account.id, undefined]);
    await until(keyWorks, 5_000, 'the key works again');
    await until(
      async () => (await mailsTo(running, account.email)).length === 2,
      10_000,
      'both mails are written',
    );
    const subjects = (await mailsTo(running, account.email)).map((mail) =>
      /^Subject: (.*)$/m.exec(mail)?.[1]?.trim(),
    );
    assert.deepEqual(subjects.sort(), [
      'Your audiosplit account is about to be deleted',
      'Your audiosplit account is restored',
    ]);
  },
);

scenario(
  'an account with a subscription is not deleted until that has ended',
  { covers: ['DELETE /api/v1/account'] },
  async () => {
    const running = await product();
    const { accessToken } = await register(running);
    await subscribe(running, accessToken);
    const close = () => call(running, 'DELETE /api/v1/account', { accessToken, body: CONFIRMED });
    assertRefused(await close(), 409, 'ACTIVE_SUBSCRIPTION');
    const profile = await call<Profile>(running, 'GET /api/v1/account', { accessToken });
    assert.equal(assertStatus(profile, 200).deletionScheduledAt, undefined);
    const ended = { accessToken, body: { immediate: true } };
    assertStatus(await call<unknown>(running, 'POST /api/v1/billing/cancel', ended), 200);
    assertStatus(await close(), 200);
  },
);

/** Which lifts the account's limit of requests too. */
async function subscribe(running: Product, accessToken: string): Promise<void> {
  const put = { accessToken, body: { token: 'tok_visa' } };
  assertStatus(await call<unknown>(running, 'PUT /api/v1/billing/payment-method', put), 200);
  const subscribed = { accessToken, body: { planId: 'plan_starter' } };
  assertStatus(await call<unknown>(running, 'POST /api/v1/billing/subscribe', subscribed), 201);
}

async function untilExported(running: Product, accessToken: string, exportId: string): Promise<Export> {
  let found: Export | undefined;
  await until(
    async () => {
      const answer = await call<Export>(running, `GET /api/v1/account/exports/${exportId}`, { accessToken });
      found = assertStatus(answer, 200);
      if (found.status === 'processing') await new Promise((resolve) => setTimeout(resolve, 1_500));
      return found.status !== 'processing';
    },
    60_000,
    'the export is ready',
  );
  assert.ok(found);
  assert.equal(found.status, 'completed');
  return found;
}

async function download(url: string | undefined): Promise<Buffer> {
  const response = await fetch(url ?? '');
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

scenario(
  'all data is exported into one file, told by mail and webhook, at most once a day',
  { covers: ['POST /api/v1/account/export'] },
  async () => {
    const running = await product();
    const { session, apiKey } = await registerWithKey(running);
    const { accessToken, account } = session;
    await subscribe(running, accessToken);
    const wish = { sourceUrl: sampleUrl(running), splitMode: 'duration', segmentDuration: 30 };
    const job = await createJob(running, wish, { apiKey });
    await completeJob({ ...running, apiKey }, job.id);
    const invoices = await call<{ data: unknown[] }>(running, 'GET /api/v1/billing/invoices', {
      accessToken,
    });
    assert.equal(assertStatus(invoices, 200).data.length, 1);

    const notified: { type: string; data: Record<string, unknown> }[] = [];
    const receiver = createServer((request, response) => {
      void text(request).then((body) => {
        notified.push(JSON.parse(body));
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    try {
      const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/exports`;
      const begun = await call<Export & { message: string }>(running, 'POST /api/v1/account/export', {
        accessToken,
        body: { webhookUrl },
      });
      const { exportId, status, format, estimatedCompletionAt, message, ...rest } = assertStatus(begun, 202);
      assert.match(exportId, /^exp_/);
      assert.deepEqual([status, format, rest], ['processing', 'json', {}]);
      assert.ok(Date.parse(estimatedCompletionAt) > Date.now() && message.length > 0);

      const completed = await untilExported(running, accessToken, exportId);
      const inDays = (Date.parse(completed.expiresAt ?? '') - Date.now()) / DAY_MS;
      assert.ok(inDays > 6.9 && inDays <= 7, `${inDays} days`);
      const file = await download(completed.downloadUrl);
      assert.equal(completed.sizeBytes, file.length);
      assert.equal(completed.sha256, createHash('sha256').update(file).digest('hex'));
      // Names stand in a zip as they are.
      for (const name of [
        'account',
        'api-keys',
        'jobs',
        'segments',
        'usage',
        'invoices',
        'webhook-deliveries',
      ]) {
        assert.ok(file.includes(`${name}.json`), name);
      }
      assert.ok(file.includes('invoices/INV-') && file.includes('manifest.json'));

      await until(async () => notified.length === 1, 20_000, 'the webhook is called');
      assert.equal(notified[0]?.type, 'export.completed');
      const { expiresAt } = completed;
      assert.deepEqual(notified[0]?.data, { exportId, status: 'completed', format: 'json', expiresAt });
      await until(
        async () => (await mailsTo(running, account.email)).length === 1,
        10_000,
        'the mail is written',
      );
      const [mail = ''] = await mailsTo(running, account.email);
      const link = /http\S+/.exec(mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[0];
      assert.deepEqual(await download(link), file);

      const again = await call(running, 'POST /api/v1/account/export', {
        accessToken,
        body: { format: 'csv' },
      });
      assertRefused(again, 429, 'EXPORT_TOO_FREQUENT');
      const waitSeconds = Number(again.headers.get('retry-after'));
      assert.ok(waitSeconds > 86_000 && waitSeconds <= 86_400, `${waitSeconds} s`);
      const list = await call<{ data: Export[] }>(running, 'GET /api/v1/account/exports', { accessToken });
      assert.deepEqual(
        assertStatus(list, 200).data.map((each) => each.exportId),
        [exportId],
      );
    } finally {
      receiver.close();
      receiver.closeAllConnections();
    }
  },
);

scenario('an export comes as tables too', { covers: ['POST /api/v1/account/export'] }, async () => {
  const running = await product();
  const { accessToken } = await register(running);
  const ask = <T = ErrorBody>(body: unknown, token: { readonly accessToken?: string } = { accessToken }) =>
    call<T>(running, 'POST /api/v1/account/export', { ...token, body });
  assertRefused(await ask({}, {}), 401, 'UNAUTHORIZED');
  assertRefused(await ask({ format: 'xml' }), 400, 'INVALID_PARAMS');
  assertRefused(await ask({ webhookUrl: 'http://10.0.0.1/' }), 400, 'INVALID_PARAMS');
  const { exportId } = assertStatus(await ask<Export>({ format: 'csv' }), 202);
  const completed = await untilExported(running, accessToken, exportId);
  assert.equal(completed.format, 'csv');
  const file = await download(completed.downloadUrl);
  assert.ok(file.includes('jobs.csv') && file.includes('manifest.json') && !file.includes('jobs.json'));
});
