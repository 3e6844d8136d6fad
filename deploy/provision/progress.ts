import type { Task } from './task.ts';

/** Takes one line about an engine, or about something else that is being started. */
export type Report = (name: string, message: string) => void;

const heartbeatMs = 10_000;

export function reportTo(stream: NodeJS.WritableStream): Report {
  return (name, message) => {
    stream.write(`${name.padEnd(10)} ${message}\n`);
  };
}

export function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}

/**
 * Reports the start of every step, its end with the time taken, and in between a message every ten seconds.
 */
export function reportedTask(name: string, report: Report, signal: AbortSignal): Task {
  return {
    signal,
    async step(label, work) {
      const startedMs = performance.now();
      report(name, `${label} …`);
      const heartbeat = setInterval(() => report(name, `${label} … ${seconds(startedMs)}`), heartbeatMs);
      try {
        const result = await work();
        report(name, `${label}: done in ${seconds(startedMs)}`);
        return result;
      } finally {
        clearInterval(heartbeat);
      }
    },
  };
}
