/**
 * The account that shares the product with the adversaries: on Starter, with one job of a minute's mp3 at a
 * time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJobEvents } from '../harness/accounts/job-events.ts';
import { openAccount } from '../harness/accounts/open-account.ts';
import { fetchFrom, type Target } from './target.ts';

export type Innocent = Awaited<ReturnType<typeof openInnocent>>;

const ADDRESS = '127.113.0.7';
/** A job that takes longer counts as this long. */
const PATIENCE_MS = 60_000;

export async function openInnocent({ baseUrl, samplesUrl }: Pick<Target, 'baseUrl' | 'samplesUrl'>) {
  const account = await openAccount(baseUrl, { plan: 'plan_starter', fetch: fetchFrom(ADDRESS) });
  const { client, credentials } = account;
  const lost: string[] = [];

  /** Milliseconds from the POST to the event on the job's stream. */
  async function split(): Promise<number> {
    const startedMs = performance.now();
    const elapsedMs = () => performance.now() - startedMs;
    try {
      const { id } = await client.createSplit({
        sourceUrl: `${samplesUrl}tour.mp3`,
        splitMode: 'duration',
        segmentDuration: 20,
      });
      const signal = AbortSignal.timeout(PATIENCE_MS);
      // Not the client's method: it reads the job once more, and Starter allows 60 requests a minute.
      const stream = await account.send(`GET /api/v1/splits/${id}/events`, { signal });
      const end = parseJobEvents(await stream.text()).at(-1);
      if (end?.event !== 'completed') throw new Error(`${id} ended with ${end?.event ?? stream.status}`);
      return elapsedMs();
    } catch (error) {
      lost.push(error instanceof Error ? error.message : String(error));
      return Math.max(elapsedMs(), PATIENCE_MS);
    }
  }

  return {
    email: credentials.email,
    /** The reasons why jobs of this account were refused or did not complete. */
    lost: () => lost.splice(0),
    /** The times of this many jobs, whose starts are at least `everyMs` apart. */
    async splitInTurn(count: number, everyMs: number, signal: AbortSignal): Promise<readonly number[]> {
      const times: number[] = [];
      for (let n = 0; n < count; n += 1) {
        const nextMs = performance.now() + everyMs;
        times.push(await split());
        await sleep(Math.max(0, nextMs - performance.now()), undefined, { signal });
      }
      return times;
    },
  };
}
