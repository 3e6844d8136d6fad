/**
 * Logs of separate processes contain no secrets: neither the wrong credentials that engines and partners
 * refuse, nor the credentials that callers send. All processes log at level `trace`. Each refusal is logged,
 * and the test waits for that.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { privateKeyVariable } from '@audiosplit/chassis/identity/identity-environment';
import type { Env } from '@audiosplit/chassis/process/env';
import { leaksIn } from '@audiosplit/chassis/testing/leaks';
import { until } from '@audiosplit/chassis/testing/until';
import { type Audiosplit, createAudiosplit, type Job } from '@audiosplit/client';
import { PROCESSES, type Process } from '@audiosplit/proto/callers';
import { freePort } from '../../deploy/provision/free-port.ts';
import type { Account } from '../harness/accounts/open-account.ts';
import { sharedEngines, systemEnvironment } from '../harness/installation/shared-engines.ts';
import { environmentBeside, startSingleProcess } from '../harness/installation/single-process.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { listen } from '../harness/servers/listen.ts';
import { CERTIFICATE, PRIVATE_KEY, startSmtpServer } from '../harness/servers/mail-server.ts';
import { TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const CODE = 'compiled';
const TIMEOUT_MS = 60_000;

/** All are wrong, and contain characters that a URL encodes. */
const PLANTED = {
  'password of the database': 'planted database/pass+word',
  'password of Redis': 'planted redis/pass+word',
  'password of the mail server': 'planted mail/pass+word',
  'secret key of the object store': 'planted/storage+secret/key',
  'key of Stripe': 'sk_test_plantedStripeKey',
  'webhook secret of Stripe': 'whsec_plantedStripeWebhookSecret',
  'token of the collector': 'planted/collector+token',
  'signature of a source': 'planted-source-signature',
  'token of a receiver': 'planted-webhook-token',
} as const;

/** The log lines that the processes must have written, by log. */
const COMPLAINTS: readonly (readonly [log: string, complaint: RegExp])[] = [
  ['gateway-0', /Redis does not count/],
  ['gateway-0', /spans cannot be exported/],
  ['account', /a mail has to wait/],
  ['billing', /Stripe does not accept STRIPE_SECRET_KEY/],
  ['splitter-0', /the attempt failed/],
  ['refused-auth', /password authentication failed/],
  ['refused-gateway', /"msg":"(?:INTERNAL_ERROR|SERVICE_UNAVAILABLE)"/],
];

describe('the logs of separate processes', () => {
  const resources = stackOfFile();
  const secrets: Record<string, string> = { ...PLANTED };
  let logs: string;
  const logOf = (name: string) => readFileSync(join(logs, `${name}.log`), 'utf8');

  before(async () => {
    const { path: scratch } = resources.use(await temporaryFolder());
    const receiver = resources.use(await listen(refuseToReceive));
    const stripe = resources.use(await listen(refuseKey));
    const collector = resources.use(await listen(refuseAndRepeat));
    const mailServer = resources.use(
      await startSmtpServer({
        key: PRIVATE_KEY,
        cert: CERTIFICATE,
        authOptional: false,
        disabledCommands: [],
        onAuth: (_auth, _session, done) => done(new Error('No')),
      }),
    );
    const certificateFile = join(scratch, 'certificate.pem');
    await writeFile(certificateFile, CERTIFICATE);
    const engines = await sharedEngines('secrets');
    const own = systemEnvironment(engines, scratch);
    const env = {
      ...own,
      LOG_LEVEL: 'trace',
      NODE_EXTRA_CA_CERTS: certificateFile,
      // Redis would accept any password for its default user.
      REDIS_URL: asAda(engines.redisUrl, PLANTED['password of Redis']),
      SMTP_URL: asAda(`smtp://localhost:${mailServer.port}`, PLANTED['password of the mail server']),
      MAIL_FROM: 'no-reply@example.com',
      PAYMENT_PROVIDER: 'stripe',
      STRIPE_API_BASE: stripe.url,
      STRIPE_SECRET_KEY: PLANTED['key of Stripe'],
      STRIPE_WEBHOOK_SECRET: PLANTED['webhook secret of Stripe'],
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(`Bearer ${PLANTED['token of the collector']}`)}`,
    };
    const at = { engines, dataDir: scratch, code: CODE, env } as const;
    const installation = resources.use(
      await startInstallation({ kind: 'processes', name: 'secrets', ...at }),
    );
    logs = installation.logsFolder;
    const logins = await installation.logins();
    for (const [service, url] of Object.entries(logins))
      secrets[`login of ${service}`] = new URL(url).password;
    secrets['password of the administrator'] = new URL(env.DATABASE_URL).password;
    secrets['secret key of the object store, the right one'] = engines.awsSecretAccessKey;
    const privateKeys = PROCESSES.map(privateKeyVariable);
    for (const name of ['AUTH_SECRET', 'WEBHOOKS_SECRET', 'DOWNLOAD_SECRET', ...privateKeys] as const)
      secrets[name] = own[name] ?? '';

    const account = await installation.openAccount({ limits: { requestsPerMinute: 600 } });
    const { password } = account.credentials;
    Object.assign(secrets, { password, accessToken: account.accessToken(), apiKey: account.apiKey });
    await useAll(account, receiver.url);

    const common = environmentBeside(installation);
    const database = withPassword(logins.auth ?? '', PLANTED['password of the database']);
    await refusedStart(logs, 'auth', { ...common, DATABASE_URL: database });
    await refusedUpload(logs, account, {
      ...common,
      AWS_SECRET_ACCESS_KEY: PLANTED['secret key of the object store'],
    });
    for (const [name, complaint] of COMPLAINTS)
      await until(() => complaint.test(logOf(name)), `${name} says ${complaint}`, TIMEOUT_MS);
    await installation.stop();
  });

  async function useAll(account: Account, receiverUrl: string): Promise<void> {
    const { client } = account;
    await client.createExport({});
    const accessToken = account.accessToken();
    const card = { accessToken, body: { token: 'pm_card_visa' } };
    assert.ok((await account.raw('PUT /api/v1/billing/payment-method', card)).status >= 500);
    secrets['webhook secret'] = (await client.getWebhookSecret()).secret;
    const upload = await client.createUpload({ fileName: 'talk.mp3' });
    secrets['link to upload'] = signatureOf(upload.uploadUrl);
    secrets['link to an upload'] = signatureOf(upload.sourceUrl);
    const sent = await fetch(upload.uploadUrl, { method: 'PUT', body: await readFile(TOUR_SAMPLE_PATH) });
    assert.ok(sent.ok, `${sent.status}`);
    const webhookUrl = `${receiverUrl}/hook?token=${PLANTED['token of a receiver']}`;
    const done = await split(client, { sourceUrl: upload.sourceUrl, webhookUrl });
    assert.ok(done.status === 'completed');
    const downloadUrl = done.segments[0]?.downloadUrl ?? assert.fail('no segment');
    secrets['link to download'] = signatureOf(downloadUrl);
    assert.equal((await fetch(`${downloadUrl}x`)).status, 403);
    const signed = `${receiverUrl}/missing.mp3?X-Signature=${PLANTED['signature of a source']}`;
    assert.equal((await split(client, { sourceUrl: signed, webhookUrl })).status, 'failed');
  }

  test('include the rejections', () => {
    for (const [name, complaint] of COMPLAINTS) assert.match(logOf(name), complaint, name);
  });

  test('contain no secret, in any encoding', () => {
    const files = globSync('*.log', { cwd: logs });
    assert.ok(files.length >= 9, files.join());
    const linesOf = (file: string) => readFileSync(join(logs, file), 'utf8').split('\n');
    const lines = files.flatMap((file) => linesOf(file).map((line) => `${file}: ${line}`));
    assert.deepEqual(leaksIn(lines, secrets), []);
  });
});

function withPassword(url: string, password: string, username = new URL(url).username): string {
  return Object.assign(new URL(url), { username, password }).href;
}

const asAda = (url: string, password: string) => withPassword(url, password, 'ada');

const signatureOf = (link: string) => new URL(link).searchParams.get('signature') ?? '';

async function split(client: Audiosplit, request: { sourceUrl: string; webhookUrl: string }): Promise<Job> {
  const { id } = await client.createSplit({ splitMode: 'duration', segmentDuration: 10, ...request });
  let job = await client.getSplit(id);
  const hasEnded = async () => {
    job = await client.getSplit(id);
    return job.status === 'completed' || job.status === 'failed';
  };
  await until(hasEnded, 'the job ends', TIMEOUT_MS);
  return job;
}

/** A service that exits because its credentials at start are refused. */
async function refusedStart(logs: string, name: Process, env: Env): Promise<void> {
  const logFile = join(logs, `refused-${name}.log`);
  const refused = startSingleProcess({ name, code: CODE, env, logFile });
  assert.equal(await refused.end, 1, refused.log());
}

/** A gateway that runs, but whose uploads the object store refuses. */
async function refusedUpload(logs: string, { apiKey }: Account, common: Env): Promise<void> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = { ...common, PORT: String(port), PUBLIC_BASE_URL: baseUrl };
  const logFile = join(logs, 'refused-gateway.log');
  const gateway = startSingleProcess({ name: 'gateway', code: CODE, env, logFile });
  try {
    await gateway.untilServing(TIMEOUT_MS);
    const { uploadUrl } = await createAudiosplit({ baseUrl, apiKey }).createUpload({ fileName: 'talk.mp3' });
    const sent = await fetch(uploadUrl, { method: 'PUT', body: await readFile(TOUR_SAMPLE_PATH) });
    assert.ok(sent.status >= 500, `${sent.status}`);
  } finally {
    await gateway.stop(TIMEOUT_MS);
  }
}

/** It has no file, and accepts no notification. */
const refuseToReceive: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(request.method === 'POST' ? 500 : 404).end();
};

/** As Stripe answers: https://docs.stripe.com/error-low-level#authentication-errors */
const refuseKey: RequestListener = (request, response) => {
  request.resume();
  const message = 'Invalid API Key provided: sk_test_****************';
  const error = { type: 'invalid_request_error', message };
  response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
};

/** As a proxy may do that repeats the request in its response. */
const refuseAndRepeat: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(request.headers));
};
