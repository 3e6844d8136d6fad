import pino from 'pino';
import { currentTrace } from '../trace.ts';

export type Logger = pino.Logger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields that may contain a credential are removed wherever they occur in a logged object. */
const SECRET_FIELDS = [
  'password',
  'secret',
  'key',
  'token',
  'accessToken',
  'refreshToken',
  'authorization',
  'downloadUrl',
  'sourceUrl',
  'sourceHeaders',
  'secretAccessKey',
];

/**
 * One JSON line per entry on `destination` (default: standard error, because standard output is for a
 * command's results). Every line carries the trace and request id of its work.
 */
export function createLogger(service: string, level: LogLevel, destination?: pino.DestinationStream): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
      mixin: () => {
        const trace = currentTrace();
        return trace === undefined ? {} : { traceId: trace.traceId, requestId: trace.requestId };
      },
    },
    destination ?? pino.destination({ dest: 2, sync: true }),
  );
}

/** For tests, and for callers without a log. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}
