/** Proxies between the processes of an installation and PostgreSQL, Kafka and S3. */
import { freePort } from '../../../../deploy/provision/free-port.ts';
import type { Task } from '../../../../deploy/provision/task.ts';
import type { FaultHooks } from '../../installation/processes.ts';
import { type Proxies, startProxies } from './proxies.ts';
import { ensureToxiproxy, startToxiproxy, type Toxic } from './toxiproxy.ts';

const KAFKA = 'kafka';

export async function startEngineProxies(logFile: string, task: Task) {
  await using starting = new AsyncDisposableStack();
  const toxiproxy = starting.use(await startToxiproxy(await ensureToxiproxy(task), logFile));
  const kafka = { port: await freePort(), advertisedPort: await freePort() };
  await toxiproxy.addProxy(KAFKA, kafka.advertisedPort, kafka.port);
  let proxies: Proxies | undefined;
  const running = starting.move();
  const environment: NonNullable<FaultHooks['environment']> = async (ofEngines) => {
    const databaseUrl = new URL(ofEngines.DATABASE_URL);
    const storageUrl = new URL(ofEngines.STORAGE_URL ?? '');
    const database = { host: databaseUrl.hostname, port: Number(databaseUrl.port) };
    const storeUrl = storageUrl.searchParams.get('endpoint') ?? '';
    proxies = running.use(await startProxies({ database, storeUrl }));
    databaseUrl.port = String(proxies.databasePort);
    storageUrl.searchParams.set('endpoint', proxies.storeUrl);
    return {
      ...ofEngines,
      DATABASE_URL: databaseUrl.href,
      STORAGE_URL: storageUrl.href,
      KAFKA_BROKERS: `127.0.0.1:${kafka.advertisedPort}`,
    };
  };
  return {
    hooks: { proxied: { kafka }, environment },
    /** The proxies for PostgreSQL and S3. Throws before the installation is started. */
    proxies(): Proxies {
      if (proxies === undefined) throw new Error('the installation has not been started');
      return proxies;
    },
    /** Resolves with a function that removes the toxic. */
    addKafkaToxic: (toxic: Toxic) => toxiproxy.addToxic(KAFKA, toxic),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
