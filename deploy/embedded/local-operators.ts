/** The operators' console of an installation on one machine. It has one operator, whose secret is among the installation's. */
import { systemClock } from '@audiosplit/chassis/clock';
import { type BusLocation, openOperations } from '@audiosplit/chassis/event-bus/operator/open-operations';
import type { Env } from '@audiosplit/chassis/process/env';
import type { Logger } from '@audiosplit/chassis/process/log';
import { isSet } from '@audiosplit/chassis/process/settings';
import type { RpcAddress } from '@audiosplit/chassis/rpc/client';
import { readOperatorsConfig } from '@audiosplit/gateway/operators/config';
import { readOperatorsPages, startOperators } from '@audiosplit/gateway/operators/service';
import { type InstallationSecrets, keysOf } from './installation-secrets.ts';

export type LocalOperators = Awaited<ReturnType<typeof startLocalOperators>>;

const NAME = 'operator';

/** Throws ConfigError, StartError. */
export async function startLocalOperators(options: {
  /** The default of OPERATORS_PORT is a free port. */
  readonly env: Env;
  readonly secrets: InstallationSecrets;
  readonly addressOf: (service: string) => RpcAddress;
  readonly bus: BusLocation;
  readonly log: Logger;
  readonly mailDir: string | undefined;
}) {
  const { env, secrets, addressOf, bus, log, mailDir } = options;
  const { operatorSecret } = secrets;
  const isConfigured = isSet(env, 'OPERATORS_CREDENTIALS');
  const config = readOperatorsConfig({
    ...env,
    OPERATORS_PORT: isSet(env, 'OPERATORS_PORT') ? env.OPERATORS_PORT : '0',
    ...(isConfigured ? {} : { OPERATORS_CREDENTIALS: `${NAME}:${operatorSecret}` }),
  });
  const listening = await startOperators(config, {
    addressOf,
    openBus: () => openOperations(bus),
    log,
    clock: systemClock,
    keys: keysOf(secrets, 'operator'),
    pages: await readOperatorsPages(),
    mailDir,
  });
  return {
    url: listening.url,
    // Undefined if the environment configures the operators.
    credentials: isConfigured ? undefined : { name: NAME, secret: operatorSecret },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}
