/** A reader who has just signed up, on the Free plan, and follows one page of the guide. */
import assert from 'node:assert/strict';
import type { Env } from '@audiosplit/chassis/process/env';
import type { ObservedRun } from '../harness/installation/observed-run.ts';

const PASSWORD = 'a password of the guide';

export type GuideReader = Awaited<ReturnType<typeof openReader>>;

export async function openReader(run: ObservedRun, email: string) {
  const credentials = { email, password: PASSWORD };
  const { body: session } = await run.call('POST /api/v1/auth/register', {}, credentials);
  const withToken = { authorization: `Bearer ${session.accessToken}` };
  const openKey = async (name: string) => {
    const { status, body } = await run.call('POST /api/v1/api-keys', withToken, { name });
    assert.equal(status, 201, JSON.stringify(body));
    return body.key as string;
  };
  const env: Env = {
    AUDIOSPLIT_URL: run.baseUrl,
    AUDIOSPLIT_KEY: await openKey('Reader'),
    AUDIOSPLIT_EMAIL: email,
    AUDIOSPLIT_PASSWORD: PASSWORD,
    WEBHOOK_URL: `${run.receiver.url}/hook`,
    PART_SECONDS: '20',
    MOST_SECONDS: '20',
  };
  /**
   * Requests are counted by key: the checks use a different key, so the page keeps its whole limit per
   * minute.
   */
  const withKey = { 'x-api-key': await openKey('Checks') };
  const jobIds = async () => {
    const { body } = await run.call('GET /api/v1/splits', withKey);
    return body.data.map(({ id }: { id: string }) => id) as string[];
  };
  const sourceUrl = `${run.baseUrl}/samples/tour.mp3`;
  return {
    /** The values that a reader sets before the first command; the page sets the rest. */
    env,
    /** The environment with the values that the page's commands set. */
    programEnv: { ...env, SOURCE_URL: sourceUrl },
    jobIds,
    async latestJob() {
      const [id] = await jobIds();
      return (await run.call(`GET /api/v1/splits/${id}`, withKey)).body;
    },
    /** Resolves when the job has ended. */
    async split(cut: object) {
      const { status, body } = await run.call('POST /api/v1/splits', withKey, { sourceUrl, ...cut });
      assert.equal(status, 201, JSON.stringify(body));
      await (await fetch(`${run.baseUrl}/api/v1/splits/${body.id}/events`, { headers: withKey })).text();
    },
  };
}
