/**
 * The variables that the samples of the API reference read from the environment. They are made for each
 * operation just before it is called.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { authenticatorCode } from '../harness/installation/authenticator.ts';
import { tokenMailedBy } from '../harness/installation/mailed-links.ts';
import { aSplit, DAY_MS, type ScriptedInstallation } from '../harness/installation/scripted.ts';

const MAIL_PAUSE_MS = 5 * 60_000;
const CODE_PAUSE_MS = 30_000;
const GIVEN_UP_AFTER_DAYS = [32, 50];
/** After this many wrong passwords, sign-in from elsewhere needs a mailed link. */
const GUESSES = 100;

export type SampleReader = ReturnType<typeof openSampleReader>;

/** A reader who runs all samples of the reference, and signs up with the first one. */
export function openSampleReader(all: ScriptedInstallation, email: string) {
  const mail = join(all.folder, 'mail');
  let password = 'a long enough password';
  let token = '';
  let secret = '';
  const base: Env = { AUDIOSPLIT_URL: all.url };

  const call = async (target: string, headers: Record<string, string>, body?: unknown) => {
    const answer = await all.call(target, headers, body);
    assert.ok(answer.status < 300, `${target} ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const signIn = () => call('POST /auth/login', {}, { email, password });
  const withToken = (target: string, body?: unknown) =>
    call(target, { authorization: `Bearer ${token}` }, body);
  const newKey = () => withToken('POST /api-keys', { name: 'of a sample' });

  const signedIn = async (more: Env = {}): Promise<Env> => {
    token = (await signIn()).accessToken;
    return { ...base, AUDIOSPLIT_TOKEN: token, AUDIOSPLIT_PASSWORD: password, ...more };
  };
  const withKey = async (more: (key: string) => Promise<Env> = async () => ({})): Promise<Env> => {
    await signedIn();
    const { key } = await newKey();
    return { ...base, AUDIOSPLIT_KEY: key, WEBHOOK_URL: all.hookUrl, ...(await more(key)) };
  };
  const newJob = async (key: string): Promise<string> =>
    (await call('POST /splits', { 'x-api-key': key }, aSplit)).id;
  const endedJob = async (key: string) => {
    const id = await newJob(key);
    await all.complete(id);
    return id;
  };
  const newBatch = async (key: string) => {
    const { sourceUrl, ...settings } = aSplit;
    return call('POST /batches', { 'x-api-key': key }, { sources: [sourceUrl], settings });
  };
  const inDays = (days: number) => new Date(all.now().getTime() + days * DAY_MS).toISOString();
  const code = () => {
    all.advance(CODE_PAUSE_MS);
    return authenticatorCode(secret, all.now());
  };
  const mailedAfter = (path: string, work: () => Promise<unknown>) => {
    all.advance(MAIL_PAUSE_MS);
    return tokenMailedBy(mail, path, work);
  };

  return {
    base: () => base,
    credentials: (): Env => ({ ...base, AUDIOSPLIT_EMAIL: email, AUDIOSPLIT_PASSWORD: password }),
    signedIn,
    /** The session from before: a second factor is required to sign in again. */
    stillSignedIn: (more: Env = {}): Env => ({
      ...base,
      AUDIOSPLIT_TOKEN: token,
      AUDIOSPLIT_PASSWORD: password,
      ...more,
    }),
    withRefreshToken: async (): Promise<Env> => ({ ...base, REFRESH_TOKEN: (await signIn()).refreshToken }),
    withKey,
    withKeyId: async () => signedIn().then(async (env) => ({ ...env, KEY_ID: (await newKey()).id })),
    onQueuedJob: () => withKey(async (key) => ({ JOB_ID: await newJob(key) })),
    onEndedJob: () => withKey(async (key) => ({ JOB_ID: await endedJob(key) })),
    onQueuedBatch: () => withKey(async (key) => ({ BATCH_ID: (await newBatch(key)).id })),
    onEndedBatch: () =>
      withKey(async (key) => {
        const { id, jobs } = await newBatch(key);
        await all.complete(jobs[0].jobId);
        return { BATCH_ID: id };
      }),
    creatingJob: () => withKey(async () => ({ SOURCE_URL: aSplit.sourceUrl })),
    async withDownload(): Promise<Env> {
      const { AUDIOSPLIT_KEY: key = '' } = await withKey();
      const { segments } = await call(`GET /splits/${await endedJob(key)}`, { 'x-api-key': key });
      return { DOWNLOAD_URL: segments[0].downloadUrl };
    },
    async withUpload(isSent: boolean): Promise<Env> {
      const { AUDIOSPLIT_KEY: key = '' } = await withKey();
      const upload = await call('POST /uploads', { 'x-api-key': key }, { fileName: 'episode-7.mp3' });
      if (isSent) await fetch(upload.uploadUrl, { method: 'PUT', body: 'a file' });
      return { UPLOAD_URL: upload.uploadUrl, SOURCE_URL: upload.sourceUrl };
    },
    /** For the file that the samples send. */
    async withResumableUpload(): Promise<Env> {
      const { AUDIOSPLIT_KEY: key = '' } = await withKey();
      const upload = await call('POST /uploads/tus', {
        'x-api-key': key,
        'tus-resumable': '1.0.0',
        'upload-length': String('a file'.length),
      });
      return { UPLOAD_URL: upload.uploadUrl };
    },
    async resettingPassword(): Promise<Env> {
      const MAILED_TOKEN = await mailedAfter('/password/reset', () =>
        call('POST /auth/password/forgot', {}, { email }),
      );
      password = 'another long enough password';
      return { ...base, MAILED_TOKEN, NEW_PASSWORD: password };
    },
    async changingPassword(): Promise<Env> {
      const env = await signedIn({ NEW_PASSWORD: 'a third long enough password' });
      password = env.NEW_PASSWORD ?? '';
      return env;
    },
    async verifying(): Promise<Env> {
      await signedIn();
      const MAILED_TOKEN = await mailedAfter('/verify', () => withToken('POST /account/email/verification'));
      return { ...base, MAILED_TOKEN };
    },
    async signingInByLink(): Promise<Env> {
      const wrong = { email, password: 'a wrong password' };
      for (let n = 0; n < GUESSES; n++) {
        const guess = all.auth.login({ ...wrong, clientIp: `198.51.100.${n % 10}` });
        await assert.rejects(guess, (error) => hasReason(error, Reason.UNAUTHORIZED));
      }
      const MAILED_TOKEN = await mailedAfter('/sign-in/link', () =>
        assert.rejects(all.auth.login({ email, password, clientIp: '203.0.113.1' })),
      );
      return { ...base, MAILED_TOKEN };
    },
    async onSession(): Promise<Env> {
      const env = await signedIn();
      const { data } = await withToken('GET /account/sessions');
      const other = data.find(({ current }: { current: boolean }) => !current);
      return { ...env, SESSION_ID: other.id };
    },
    async confirmingSecondFactor(): Promise<Env> {
      const env = await signedIn();
      secret = (await withToken('POST /account/second-factor', { current: password })).secret;
      return { ...env, CODE: code() };
    },
    withCode: code,
    async onExport(): Promise<Env> {
      const env = await signedIn();
      const { data } = await withToken('GET /account/exports');
      return { ...env, EXPORT_ID: data[0].exportId };
    },
    onPreset: () =>
      withKey(async (key) => {
        const { data } = await call('GET /presets', { 'x-api-key': key });
        return { PRESET_ID: data[0].id };
      }),
    async onConnection(): Promise<Env> {
      const env = await signedIn();
      const { data } = await withToken('GET /connections');
      return { ...env, CONNECTION_ID: data[0].id };
    },
    async onDelivery(): Promise<Env> {
      const env = await signedIn();
      let id: string | undefined;
      await until(async () => {
        const { data } = await withToken('GET /webhooks/deliveries');
        id = data.find(({ status }: { status: string }) => status === 'delivered')?.id;
        return id !== undefined;
      }, 'a notification is delivered');
      return { ...env, DELIVERY_ID: id };
    },
    /** Given up, with a card on file that works now. */
    async onOpenInvoice(): Promise<Env> {
      const env = await signedIn();
      await withToken('PUT /billing/payment-method', { token: 'tok_chargeCustomerFail' });
      for (const days of GIVEN_UP_AFTER_DAYS) await withToken('PUT /sandbox/clock', { now: inDays(days) });
      await withToken('PUT /billing/payment-method', { token: 'tok_visa' });
      const { data } = await withToken('GET /billing/invoices');
      return { ...env, INVOICE_ID: data[0].id };
    },
    /** After the end of everything that was canceled. */
    movingClock: () => signedIn({ NOW: inDays(120) }),
  };
}
