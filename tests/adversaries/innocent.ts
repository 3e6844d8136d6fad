/** The account beside the adversaries: on Starter, with one job of a minute's mp3 at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openAccount } from '../harness/accounts/open-account.ts';
import { fetchFrom, type Target } from './target.ts';

export type Innocent = Awaited<ReturnType<typeof openInnocent>>;

const ADDRESS = '203.0.113.7';
/** A job that takes longer counts as so long. */
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
      const job = await client.waitForJob(id, { signal: AbortSignal.timeout(PATIENCE_MS) });
      const ms = elapsedMs();
      if (job.segments.length === 0) lost.push(`${id} has no segments`);
      return ms;
    } catch (error) {
      lost.push(error instanceof Error ? error.message : String(error));
      return Math.max(elapsedMs(), PATIENCE_MS);
    }
  }

  return {
    email: credentials.email,
    /** Why jobs of this account were refused, or did not complete. */
    lost: () => lost.splice(0),
    /** Times of so many jobs, whose starts are at least `everyMs` apart. */
    async splitInTurn(count: number, everyMs: number, signal: AbortSignal): Promise<readonly number[]> {
      const times: number[] = [];
      for (let n = 0; n < count; n += 1) {
        const ms = await split();
        times.push(ms);
        await sleep(Math.max(0, everyMs - ms), undefined, { signal });
      }
      return times;
    },
  };
}
