import pino from 'pino';
import { currentTrace } from '../trace.ts';

export type Logger = pino.Logger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields that may hold a credential are cut out wherever they appear in a logged object. */
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
];

/**
 * One JSON line per entry on `destination` (standard error by default: standard output belongs to what a
 * command prints for people). Every line carries the trace and request id of the work it belongs to.
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
