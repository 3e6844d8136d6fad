/** The load profile `noisy-neighbour` (load-tests/README.md) against the release, from this machine. */
import { join } from 'node:path';
import { HOST_ADDRESS } from '../../deploy/kubernetes/layout.ts';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';
import type { Account } from '../harness/accounts/open-account.ts';
import { BASE_URL } from './release.ts';

/** Of the profile's accounts other than the quiet one, whose limit is never reached. */
const FLOODER_LIMIT = 300;
const SLOW_LIMIT = 1_000;

/** Resolves with the verdict if the quiet account's p99 stays within its bound. */
export type RunNoisyNeighbour = (environment: Readonly<Record<string, string>>) => Promise<string>;

export interface NeighbourContext {
  openAccount(requestsPerMinute?: number): Promise<Account>;
  readonly runNoisyNeighbour: RunNoisyNeighbour;
}

/** `sourceUrl`: audio that the release may fetch; it serves no samples. */
export function noisyNeighbourRun(
  folder: string,
  sourceUrl: string,
  { signal }: Pick<Task, 'signal'>,
): RunNoisyNeighbour {
  const to = [
    '--base-url',
    BASE_URL,
    '--source-url',
    sourceUrl,
    '--stub-host',
    HOST_ADDRESS,
    '--report',
    join(folder, 'noisy-neighbour'),
  ];
  const args = ['run', '--silent', 'load', '--', 'noisy-neighbour', ...to];
  return (environment) => runTool('npm', args, { signal, environment, cwd: repositoryRoot });
}

export async function bearNoisyNeighbour({
  openAccount,
  runNoisyNeighbour,
}: NeighbourContext): Promise<string> {
  const quiet = await openAccount();
  const flooder = await openAccount(FLOODER_LIMIT);
  const slow = await openAccount(SLOW_LIMIT);
  const verdict = await runNoisyNeighbour({
    API_KEY: quiet.apiKey,
    NEIGHBOUR_API_KEY: flooder.apiKey,
    SLOW_API_KEY: slow.apiKey,
  });
  const lines = verdict.split('\n').filter((line) => line.startsWith('- '));
  return lines.map((line) => line.slice(2)).join(' ');
}
