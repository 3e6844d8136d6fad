/**
 * Whether limits before identification count by client, and ignore both the controller's address and the
 * address that a client claims.
 */
import { join } from 'node:path';
import { type EntryPoint, fetchBy, PUBLIC_HOST } from './entry-point.ts';

/** Runs a script on the machine of that name with the pinned Node; resolves with its output. */
export type RunScript = (machine: string, script: string, args: readonly string[]) => Promise<string>;

const SCRIPT = join(import.meta.dirname, 'spend-window.mjs');
const PATH = '/api/v1/splits';

/** Another machine uses up its window; this one still has its own. Resolves with a summary. */
export async function countClients(
  entryPoint: EntryPoint,
  machine: string,
  runScript: RunScript,
): Promise<string> {
  const printed = await runScript(machine, SCRIPT, [`${entryPoint.url}${PATH}`, PUBLIC_HOST]);
  const { calls, status, forgedStatus } = JSON.parse(printed) as Readonly<
    Record<'calls' | 'status' | 'forgedStatus', number>
  >;
  if (status !== 429) throw new Error(`${calls} calls without a key are answered ${status} at the end`);
  if (forgedStatus !== 429)
    throw new Error(`a client that forges X-Forwarded-For is answered ${forgedStatus}`);
  const neighbour = await fetchBy(entryPoint, PATH);
  neighbour.resume();
  if (neighbour.statusCode !== 401)
    throw new Error(`a client of another address is answered ${neighbour.statusCode}: all share a window`);
  return `${calls} calls without a key spent the window of ${machine} alone, a forged X-Forwarded-For did not help`;
}
