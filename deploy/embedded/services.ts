/** The services of one process: each on the same database, bus and store, called without a network. */

import { readAccountConfig } from '@audiosplit/account/config';
import { startAccount } from '@audiosplit/account/service';
import { readAuthConfig } from '@audiosplit/auth/config';
import { startAuth } from '@audiosplit/auth/service';
import { readBillingConfig } from '@audiosplit/billing/config';
import { startBilling } from '@audiosplit/billing/service';
import type { IdentityKeys } from '@audiosplit/chassis/identity/keys';
import type { Env } from '@audiosplit/chassis/process/env';
import { postgresPorts } from '@audiosplit/chassis/process/postgres-ports';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { lateAddress, type RpcAddress } from '@audiosplit/chassis/rpc/client';
import { type Routes, serveInProcess } from '@audiosplit/chassis/rpc/server';
import { readJobsConfig } from '@audiosplit/jobs/config';
import { startJobs } from '@audiosplit/jobs/service';
import type { Process } from '@audiosplit/proto/callers';
import { readWebhooksConfig } from '@audiosplit/webhooks/config';
import { startWebhooks } from '@audiosplit/webhooks/service';

/** The resources that the services share; each has its own connections and periodic work. */
type SharedContext = Omit<ServiceContext, 'addressOf' | 'keys' | 'openPool' | 'schedule'> & {
  readonly databaseUrl: string;
  readonly keysOf: (process: Process) => IdentityKeys;
};

/** Started services end with the stack. */
export function openServices(
  stack: AsyncDisposableStack,
  { databaseUrl, keysOf, ...context }: SharedContext,
) {
  const addresses = new Map<string, RpcAddress>();
  const addressOf = (name: string) =>
    lateAddress(() => {
      const address = addresses.get(name);
      if (address === undefined) throw new Error(`there is no service ${name}`);
      return address;
    });
  const logOf = (service: string) => context.log.child({ service });
  const serve = (name: Process, routes: Routes) =>
    void addresses.set(name, serveInProcess({ ...context, keys: keysOf(name), log: logOf(name), routes }));
  return {
    addressOf,
    /** Makes `routes` answer all further calls to this name. */
    serve,
    async start(name: Process, startService: (context: ServiceContext) => Promise<RunningService>) {
      const log = logOf(name);
      const ports = postgresPorts({ databaseUrl, log, bus: context.bus });
      const service = stack.use(
        await startService({ ...context, ...ports, keys: keysOf(name), addressOf, log }),
      );
      serve(name, (router) => {
        service.routes(router);
        service.health.routes(router);
      });
      stack.defer(async () => service.health.drain());
    },
  };
}

/** All services except the splitter. */
export async function startDataServices({ start }: ReturnType<typeof openServices>, env: Env): Promise<void> {
  await start('billing', (context) => startBilling(readBillingConfig(env), context));
  await start('auth', (context) => startAuth(readAuthConfig(env), context));
  await start('account', (context) => startAccount(readAccountConfig(env), context));
  await start('webhooks', (context) => startWebhooks(readWebhooksConfig(env), context));
  await start('jobs', (context) => startJobs(readJobsConfig(env), context));
}
