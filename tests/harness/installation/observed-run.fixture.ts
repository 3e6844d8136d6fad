/**
 * The whole product in this process, on a database of its own, with an account that splits a file and is told of it, and
 * everything that it says of itself: log lines, metrics.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@audiosplit/chassis/clock';
import { createLogger } from '@audiosplit/chassis/process/log';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { until } from '@audiosplit/chassis/testing/until';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { readLocalConfig } from '../../../deploy/embedded/config.ts';
import { startEmbeddedSystem } from '../../../deploy/embedded/embedded-system.ts';
import { readOrMakeSecrets } from '../../../deploy/embedded/installation-secrets.ts';

export type ObservedRun = Awaited<ReturnType<typeof startObservedRun>>;

/** More than a test asks. */
const LIMITS = { requestsPerMinute: 1_000_000, monthlyMinutes: 1_000_000, concurrentJobs: 4 };
const SAMPLE = fileURLToPath(new URL('../../../deploy/embedded/samples/tour.mp3', import.meta.url));
export const WRONG_PASSWORD = 'planted wrong password';
export const PASSWORD = 'planted correct password';

export async function startObservedRun(environment: Readonly<Record<string, string>> = {}) {
  await using starting = new AsyncDisposableStack();
  const database = starting.use(await createTestDatabase([]));
  const dataDir = await mkdtemp(join(tmpdir(), 'audiosplit-observed-'));
  starting.defer(() => rm(dataDir, { recursive: true, force: true }));
  const receiver = starting.use(await startReceiver());
  const lines: string[] = [];
  const log = createLogger('local', 'trace', { write: (line: string) => void lines.push(line) });
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    METRICS_PORT: '0',
    ...environment,
  };
  const fatal = (error: Error) => {
    throw error;
  };
  const config = readLocalConfig(env, dataDir);
  const system = starting.use(await startEmbeddedSystem({ config, log, env, fatal }));
  const { baseUrl, metricsPort } = system;
  const installationSecrets = await readOrMakeSecrets(dataDir);
  const { internalSecret } = installationSecrets;
  const operator = createCaller({ service: 'local', internalSecret, clock: systemClock });
  const billing = operator.client(BillingService, system.addressOf('billing'));

  async function call(target: string, headers: Record<string, string> = {}, body?: unknown) {
    const [method = '', path = ''] = target.split(' ');
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they please
    const answer: any = text.startsWith('{') ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, body: answer };
  }

  const credentials = { email: 'observed@example.com', password: PASSWORD };
  const { body: session } = await call('POST /api/v1/auth/register', {}, credentials);
  await billing.setAccountOverrides({ accountId: session.account.id, ...LIMITS });
  const withToken = { authorization: `Bearer ${session.accessToken}` };
  const { body: key } = await call('POST /api/v1/api-keys', withToken, { name: 'Observed' });
  const withKey = { 'x-api-key': key.key as string };

  const running = starting.move();
  return {
    baseUrl,
    installationSecrets,
    receiver,
    lines,
    credentials,
    session: session as { readonly accessToken: string; readonly refreshToken: string },
    apiKey: key.key as string,
    withToken,
    withKey,
    call,
    /** Resolves to the finished job. */
    async split(wish: object, headers: Record<string, string> = {}) {
      const request = { splitMode: 'duration', segmentDuration: 10, ...wish };
      const created = await call('POST /api/v1/splits', { ...withKey, ...headers }, request);
      assert.equal(created.status, 201, JSON.stringify(created.body));
      let job = created.body;
      await until(async () => {
        job = (await call(`GET /api/v1/splits/${job.id}`, withKey)).body;
        return job.status === 'completed' || job.status === 'failed';
      }, 'the job ends');
      return job;
    },
    /** Resolves to the address to split from. */
    async upload() {
      const { body: upload } = await call('POST /api/v1/uploads', withKey, { fileName: 'talk.mp3' });
      const sent = await fetch(upload.uploadUrl, { method: 'PUT', body: await readFile(SAMPLE) });
      assert.ok(sent.ok, `${sent.status} ${await sent.text()}`);
      return upload as { readonly uploadUrl: string; readonly sourceUrl: string };
    },
    async scrape(): Promise<string> {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
      assert.equal(answer.status, 200);
      return answer.text();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A receiver of notifications that keeps what it is sent; below /broken it answers 500. It has no file to split. */
async function startReceiver() {
  const received: { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer((request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers });
    request.resume();
    const isTold = request.method === 'POST';
    response.writeHead(!isTold ? 404 : request.url?.startsWith('/broken') ? 500 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
