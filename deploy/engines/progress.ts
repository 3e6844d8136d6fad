import type { EngineName, Task } from './engine.ts';

/** Takes one line of news about one engine. */
export type Report = (engine: EngineName, message: string) => void;

const heartbeatMs = 10_000;

export function reportTo(stream: NodeJS.WritableStream): Report {
  return (engine, message) => {
    stream.write(`${engine.padEnd(10)} ${message}\n`);
  };
}

export function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}

/** Reports the start of every step, its end with the time taken, and in between a sign of life every ten seconds. */
export function reportedTask(engine: EngineName, report: Report, signal: AbortSignal): Task {
  return {
    signal,
    async step(label, work) {
      const startedMs = performance.now();
      report(engine, `${label} …`);
      const heartbeat = setInterval(() => report(engine, `${label} … ${seconds(startedMs)}`), heartbeatMs);
      try {
        const result = await work();
        report(engine, `${label}: done in ${seconds(startedMs)}`);
        return result;
      } finally {
        clearInterval(heartbeat);
      }
    },
  };
}
