/** Kills, freezes, stops and replaces the processes of an installation, and reads what they say. */
import { readFileSync } from 'node:fs';
import type { ManagedProcess } from '../../../deploy/processes/process/managed-process.ts';
import { killGroup } from '../../../deploy/processes/process/running-process.ts';
import { rollingRestart } from '../../../deploy/processes/rolling-restart.ts';
import { terminate } from '../../../deploy/provision/process-identity.ts';
import type { Report } from '../../../deploy/provision/progress.ts';

/** Takes names of processes, such as `gateway-0` or `jobs`. Each method throws for an unknown name. */
export type ProcessControls = ReturnType<typeof processControls>;

/** As Prometheus waits by default; while the bus is away a process takes half of it to read its lag. */
const SCRAPE_TIMEOUT_MS = 10_000;

export function processControls(processes: () => readonly ManagedProcess[]) {
  const find = (name: string): ManagedProcess => {
    const found = processes().find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no process ${name}`);
    return found;
  };
  /** Undefined while it does not run. */
  const pid = (name: string) => find(name).identity()?.pid;
  return {
    names: () => processes().map(({ name }) => name),
    pid,
    isReady: (name: string) => find(name).state().kind === 'ready',
    /** By SIGKILL. Resolves once it has ended. */
    async kill(name: string) {
      const identity = find(name).identity();
      if (identity !== null) await terminate(identity, 'SIGKILL', 0);
    },
    /** Kills it with those that it has started, such as ffmpeg: the loss of its machine. */
    killGroup(name: string) {
      const id = pid(name);
      if (id !== undefined) killGroup(id);
    },
    /** It stands still until thawed; its connections stay open. */
    freeze: (name: string) => find(name).signal('SIGSTOP'),
    thaw: (name: string) => find(name).signal('SIGCONT'),
    /** SIGTERM, as a restart of its pod; it is started again where the installation restarts processes. */
    terminate: (name: string) => find(name).signal('SIGTERM'),
    /** In order and for good. Resolves with the exit code; null where a signal ended it. */
    stop: (name: string) => find(name).stop(),
    /** Needs the balancer. Resolves once the successor is ready. */
    replace: (name: string) => find(name).replace(),
    /** All of them, one after the other, as `npm run up -- restart` does. Rejects at the first that is not replaced. */
    replaceAll: (report: Report = () => undefined) => rollingRestart(processes(), report),
    log: (name: string) => find(name).log,
    /** In the format of Prometheus; undefined where it does not answer. Needs METRICS_PORT=0. */
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
