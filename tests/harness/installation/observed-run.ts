/**
 * An embedded installation with an account that splits files and receives notifications, and all its log
 * lines.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Env } from '@audiosplit/chassis/process/env';
import { createLogger } from '@audiosplit/chassis/process/log';
import { until } from '@audiosplit/chassis/testing/until';
import { UNLIMITED } from '../accounts/limits.ts';
import { type Answer, raw, type Target } from '../accounts/raw.ts';
import { startReceiver } from '../servers/receiver.ts';
import { TOUR_SAMPLE_PATH } from '../servers/sources.ts';
import { startInstallation } from './start-installation.ts';

export type ObservedRun = Awaited<ReturnType<typeof startObservedRun>>;

export const WRONG_PASSWORD = 'planted wrong password';
export const PASSWORD = 'planted correct password';

export async function startObservedRun(env: Env = {}) {
  await using starting = new AsyncDisposableStack();
  const receiver = starting.use(await startReceiver());
  const lines: string[] = [];
  const log = createLogger('local', 'trace', { write: (line: string) => void lines.push(line) });
  const installation = starting.use(await startInstallation({ kind: 'embedded', log, env }));
  const { baseUrl, scrape, secrets } = installation;
  const account = await installation.openAccount({
    email: 'observed@example.com',
    password: PASSWORD,
    limits: { ...UNLIMITED, concurrentJobs: 4 },
  });
  const { apiKey, client, credentials, session } = account;
  const withKey = { 'x-api-key': apiKey };
  const call = (target: Target, headers: Record<string, string> = {}, body?: unknown): Promise<Answer> =>
    raw(baseUrl, target, { headers, body });
  const running = starting.move();
  return {
    baseUrl,
    installationSecrets: secrets,
    receiver,
    lines,
    credentials,
    session,
    apiKey,
    withToken: { authorization: `Bearer ${session.accessToken}` },
    withKey,
    call,
    /** Resolves to the finished job. */
    async split(request: object, headers: Record<string, string> = {}) {
      const body = { splitMode: 'duration', segmentDuration: 10, ...request };
      const created = await call('POST /api/v1/splits', { ...withKey, ...headers }, body);
      assert.equal(created.status, 201, JSON.stringify(created.body));
      let job = created.body;
      await until(async () => {
        job = (await call(`GET /api/v1/splits/${job.id}`, withKey)).body;
        return job.status === 'completed' || job.status === 'failed';
      }, 'the job ends');
      return job;
    },
    /** Uploads a file; its `sourceUrl` can be split. */
    async upload() {
      const upload = await client.createUpload({ fileName: 'talk.mp3' });
      const sent = await fetch(upload.uploadUrl, { method: 'PUT', body: await readFile(TOUR_SAMPLE_PATH) });
      assert.ok(sent.ok, `${sent.status} ${await sent.text()}`);
      return upload;
    },
    scrape,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
