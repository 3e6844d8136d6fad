/** Kills, freezes, stops and replaces the processes of an installation, and reads their output. */
import { readFileSync } from 'node:fs';
import type { ManagedProcess } from '../../../deploy/processes/process/managed-process.ts';
import { killGroup } from '../../../deploy/processes/process/running-process.ts';
import { rollingRestart } from '../../../deploy/processes/rolling-restart.ts';
import { terminate } from '../../../deploy/provision/process-identity.ts';
import type { Report } from '../../../deploy/provision/progress.ts';

/** Methods take the name of a process, such as `gateway-0` or `jobs`, and throw for an unknown name. */
export type ProcessControls = ReturnType<typeof processControls>;

/** Prometheus's default; while the bus is unavailable, a process takes half of it to read its lag. */
const SCRAPE_TIMEOUT_MS = 10_000;

export function processControls(processes: () => readonly ManagedProcess[]) {
  const find = (name: string): ManagedProcess => {
    const found = processes().find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no process ${name}`);
    return found;
  };
  /** Undefined while it is not running. */
  const pid = (name: string) => find(name).identity()?.pid;
  return {
    names: () => processes().map(({ name }) => name),
    pid,
    isReady: (name: string) => find(name).state().kind === 'ready',
    /** Sends SIGKILL. Resolves once it has ended. */
    async kill(name: string) {
      const identity = find(name).identity();
      if (identity !== null) await terminate(identity, 'SIGKILL', 0);
    },
    /** Kills it and the processes that it started, such as ffmpeg: simulates the loss of its machine. */
    killGroup(name: string) {
      const id = pid(name);
      if (id !== undefined) killGroup(id);
    },
    /** It is suspended until thawed; its connections stay open. */
    freeze: (name: string) => find(name).signal('SIGSTOP'),
    thaw: (name: string) => find(name).signal('SIGCONT'),
    /**
     * Sends SIGTERM, as a restart of its pod does; it is started again if the installation restarts
     * processes.
     */
    terminate: (name: string) => find(name).signal('SIGTERM'),
    /** Stops it gracefully and permanently. Resolves with the exit code; null if a signal ended it. */
    stop: (name: string) => find(name).stop(),
    /** Needs the balancer. Resolves once the successor is ready. */
    replace: (name: string) => find(name).replace(),
    /**
     * Replaces all of them, one after the other, as `npm run up -- restart` does. Rejects at the first that
     * is not replaced.
     */
    replaceAll: (report: Report = () => undefined) => rollingRestart(processes(), report),
    log: (name: string) => find(name).log,
    /** In the Prometheus format; undefined if it does not respond. Needs METRICS_PORT=0. */
    async metrics(name: string): Promise<string | undefined> {
      const line = readFileSync(find(name).log.path, 'utf8')
        .split('\n')
        .findLast((each) => each.includes('metrics are served'));
      if (line === undefined) return undefined;
      const { port } = JSON.parse(line) as { readonly port: number };
      try {
        const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
          signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS),
        });
        return response.ok ? await response.text() : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
