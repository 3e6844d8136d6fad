/**
 * A job's event stream through a controller: whether each event arrives when it happens, and the stream lasts
 * as long as the job.
 */
import { text } from 'node:stream/consumers';
import { parseJobEvents } from '../../harness/accounts/job-events.ts';
import type { Account } from '../../harness/accounts/open-account.ts';
import { type EntryPoint, fetchBy } from './entry-point.ts';

export interface Arrival {
  readonly atMs: number;
  readonly text: string;
}

/** The time after which proxies by default end a connection that is silent or long-lived. */
const USUAL_TIMEOUT_MS = 60_000;
/** Gateways send something at least every 15 s. */
const LONGEST_SILENCE_MS = 30_000;

/** `sourceUrl`: a source that takes longer than the usual timeout of proxies. Resolves with a summary. */
export async function followBy(
  entryPoint: EntryPoint,
  { client, apiKey }: Pick<Account, 'client' | 'apiKey'>,
  sourceUrl: string,
): Promise<string> {
  const { id } = await client.createSplit({ sourceUrl, splitMode: 'duration', segmentDuration: 20 });
  const startedMs = performance.now();
  const headers = { 'x-api-key': apiKey };
  const response = await fetchBy(entryPoint, `/api/v1/splits/${id}/events`, { headers });
  if (response.statusCode !== 200)
    throw new Error(`the stream is answered ${response.statusCode}: ${await text(response)}`);
  const arrivals: Arrival[] = [];
  response.setEncoding('utf8');
  for await (const chunk of response) arrivals.push({ atMs: performance.now() - startedMs, text: chunk });
  return judgeStream(arrivals);
}

/** Throws if the stream was held back or cut off. */
export function judgeStream(arrivals: readonly Arrival[]): string {
  const lastedMs = arrivals.at(-1)?.atMs ?? 0;
  const events = parseJobEvents(arrivals.map((arrival) => arrival.text).join(''));
  const last = events.at(-1)?.event;
  if (last !== 'completed')
    throw new Error(`the stream ended after ${seconds(lastedMs)}, with ${last ?? 'no event'}`);
  if (lastedMs < USUAL_TIMEOUT_MS)
    throw new Error(`the job was over after ${seconds(lastedMs)}: too early to know what lasts`);
  const silences = arrivals.map(({ atMs }, index) => atMs - (arrivals[index - 1]?.atMs ?? 0));
  const longestMs = Math.max(...silences);
  if (longestMs > LONGEST_SILENCE_MS)
    throw new Error(`the stream was held back: nothing came for ${seconds(longestMs)}`);
  return `${events.length} events in one stream of ${seconds(lastedMs)}, never silent for more than ${seconds(longestMs)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(0)} s`;
}
