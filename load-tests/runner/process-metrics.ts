/**
 * Finds the metrics ports of the processes of a run's own installation: each process logs the port that it
 * was assigned.
 */
import { readFile } from 'node:fs/promises';
import { readResources } from '../analysis/resource-measures.ts';
import type { Watched } from './resource-sampler.ts';

/** For the environment of watched processes. */
export const METRICS_ENVIRONMENT = { METRICS_HOST: '127.0.0.1', METRICS_PORT: '0' } as const;

const SERVED = 'metrics are served';

export function watchedProcess(name: string, logFile: string): Watched {
  let port: number | undefined;
  return {
    name,
    async look(signal) {
      // Not read each time, because a log gets long; but read again without a response, because a restarted
      // process has another port.
      port ??= metricsPort(await readFile(logFile, { encoding: 'utf8', signal }));
      if (port === undefined) throw new Error(`${name} has not said where it tells its figures`);
      try {
        const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal });
        if (!response.ok) throw new Error(`${name} answers with ${response.status}`);
        return readResources(await response.text());
      } catch (error) {
        port = undefined;
        throw error;
      }
    },
  };
}

/** The last port in a log; undefined if there is none. */
export function metricsPort(log: string): number | undefined {
  const end = log.lastIndexOf(SERVED);
  if (end === -1) return undefined;
  const line = log.slice(log.lastIndexOf('\n', end) + 1, end);
  return Number(/"port":(\d+)/.exec(line)?.[1]) || undefined;
}
