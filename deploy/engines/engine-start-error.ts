import type { EngineName } from './engine.ts';

/** One engine did not come up; whatever was started along with it has been stopped. */
export class EngineStartError extends Error {
  override readonly name = 'EngineStartError';
  readonly engine: EngineName;
  readonly logFile: string;
  /** The last 20 lines. */
  readonly logTail: string;

  constructor(engine: EngineName, logFile: string, logTail: string, cause: unknown) {
    super(`${engine} did not start: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.engine = engine;
    this.logFile = logFile;
    this.logTail = logTail;
  }

  /** For a person at a terminal. */
  get explanation(): string {
    return `${this.message}
--- last lines of ${this.logFile}
${this.logTail}
---
Whatever was started with it has been stopped. Fix what the log complains of and run the same command again;
to begin with empty data, run npm run down -- engines (with the same --dir) before.
`;
  }
}
