import type { Process } from '@audiosplit/proto/callers';
import { createLogger, LOG_LEVELS } from '../process/log.ts';
import { postgresPorts } from '../process/postgres-ports.ts';
import type { ServiceContext } from '../process/service.ts';
import { oneOf, readSettings } from '../process/settings.ts';
import { testKeysOf } from './identities.ts';

interface TestContextOptions
  extends Pick<ServiceContext, 'bus' | 'clock'>,
    Partial<Pick<ServiceContext, 'openStore' | 'addressOf'>> {
  readonly databaseUrl: string;
  /** The service under test. */
  readonly process: Process;
}

const SETTINGS = {
  TEST_LOG_LEVEL: oneOf(LOG_LEVELS, { what: 'log level of services under test', default: 'silent' }),
};

/**
 * What a service under test is started with. Without `openStore` and `addressOf` it has no objects and
 * no other services. It also serves as the options of `serveInProcess` and `createCaller`. Its log is silent
 * unless TEST_LOG_LEVEL says otherwise.
 */
export function createTestContext({
  databaseUrl,
  process: name,
  ...options
}: TestContextOptions): ServiceContext {
  const log = createLogger('test', readSettings(SETTINGS, process.env).TEST_LOG_LEVEL);
  return {
    ...postgresPorts({ databaseUrl, log, bus: options.bus }),
    keys: testKeysOf(name),
    log,
    openStore: () => Promise.reject(new Error('no objects are stored in this test')),
    addressOf: (service) => {
      throw new Error(`${service} is not called in this test`);
    },
    fatal: failTest,
    ...options,
  };
}

/** Thrown out of a callback, an error reaches the test runner as an uncaught one. */
export function failTest(error: Error): never {
  throw error;
}
