import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '@audiosplit/chassis/errors';
import type { Broken } from '../../servers/breakable.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { startObjectStoreProxy } from './object-store-proxy.ts';
import type { Answer, NumberedOrder, Order, Ready, Upstreams } from './proxies-messages.ts';

const upstreams = workerData as Upstreams;
const database = await startDatabaseProxy(upstreams.database);
const store = await startObjectStoreProxy(new URL(upstreams.storeUrl));
let broken: Broken | undefined;

parentPort?.on('message', ({ number, order }: NumberedOrder) => {
  carryOut(order).then(
    (result) => answer({ number, result }),
    (error: unknown) => answer({ number, failure: messageOf(error) }),
  );
});
parentPort?.postMessage({ databasePort: database.port, storeUrl: store.url } satisfies Ready);

function answer(message: Answer): void {
  parentPort?.postMessage(message);
}

async function carryOut(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'lose next commit':
      return database.loseNextCommit(order.application, AbortSignal.timeout(order.timeoutMs));
    case 'break store':
      broken = store.breakDown(order.fault);
      return undefined;
    case 'store hits':
      return broken?.hits() ?? 0;
    case 'mend store':
      broken?.[Symbol.dispose]();
      return undefined;
    default:
      return order satisfies never;
  }
}
