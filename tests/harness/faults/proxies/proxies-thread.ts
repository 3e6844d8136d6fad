import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '@audiosplit/chassis/errors';
import type { Broken } from '../../servers/breakable.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { type ObjectStoreFault, startObjectStoreProxy } from './object-store-proxy.ts';

export interface Upstreams {
  readonly database: { readonly host: string; readonly port: number };
  readonly storeUrl: string;
}

/** The methods that the thread's owner can call, by name. */
export type Methods = typeof methods;
export interface Call {
  readonly number: number;
  readonly method: keyof Methods;
  readonly args: readonly never[];
}
export type Outcome = { readonly number: number } & (
  | { readonly result: unknown }
  | { readonly failure: string }
);

const upstreams = workerData as Upstreams;
const database = await startDatabaseProxy(upstreams.database);
const store = await startObjectStoreProxy(new URL(upstreams.storeUrl));
let broken: Broken | undefined;

const methods = {
  addresses: async () => ({ databasePort: database.port, storeUrl: store.url }),
  /** `application` is the connection's application_name. Rejects if there is no commit within the time. */
  loseNextCommit: (application: string, timeoutMs: number) =>
    database.loseNextCommit(application, AbortSignal.timeout(timeoutMs)),
  async breakStore(fault: ObjectStoreFault): Promise<void> {
    broken = store.breakDown(fault);
  },
  /** The number of requests so far that met the store's fault. */
  storeHits: async () => broken?.hits() ?? 0,
  mendStore: async () => broken?.[Symbol.dispose](),
};

parentPort?.on('message', ({ number, method, args }: Call) => {
  const report = (outcome: Outcome) => parentPort?.postMessage(outcome);
  const call: (...args: readonly never[]) => Promise<unknown> = methods[method];
  call(...args).then(
    (result) => report({ number, result }),
    (error: unknown) => report({ number, failure: messageOf(error) }),
  );
});
