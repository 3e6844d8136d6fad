/**
 * Calls between processes: the services' own routes and interceptors on the in-process transport, with a
 * network in between. A request may be lost, a response may be lost after the call has taken effect, either
 * may arrive after the caller's deadline, and when a callee dies, its calls in flight are lost.
 */
import { addAbortListener } from 'node:events';
import type { RpcAddress } from '@audiosplit/chassis/rpc/client';
import type { Routes } from '@audiosplit/chassis/rpc/server';
import { Code, ConnectError, type Interceptor, type Transport } from '@connectrpc/connect';
import type { Faults } from '../faults/faults.ts';
import type { SimulatedProcess } from '../world/process.ts';
import type { World } from '../world/world.ts';

interface Replica {
  readonly process: SimulatedProcess;
  readonly address: RpcAddress;
  readonly transports: Map<readonly Interceptor[], Transport>;
}

export type SimulatedNetwork = ReturnType<typeof createSimulatedNetwork>;

export function createSimulatedNetwork(
  world: World,
  faults: Faults,
  serveInProcess: (routes: Routes) => RpcAddress,
) {
  const replicas = new Map<string, Set<Replica>>();
  const replicasOf = (service: string) => replicas.getOrInsertComputed(service, () => new Set());
  const unavailable = (what: string) => new ConnectError(`${what} (injected)`, Code.Unavailable);

  /** Simulates the transit of the request and the response. */
  const network =
    (callee: SimulatedProcess): Interceptor =>
    (next) =>
    (request) =>
      untilAborted(request.signal, async () => {
        const what = request.method.name;
        // Once sent it arrives, even if its sender has died meanwhile.
        await world.delayAnyway(faults.latencyMs());
        const outcome = faults.outcomeOf('rpc');
        world.record(`rpc ${what} at ${callee.name}: ${outcome}`);
        if (outcome === 'refused') throw unavailable(`${what} was lost`);
        const answer = await untilDeath(callee, () => callee.run(() => next(request)), unavailable);
        await world.delay(faults.latencyMs());
        if (outcome !== 'done') throw unavailable(`the answer to ${what} was lost`);
        return answer;
      });

  return {
    /** Serves until the process dies. */
    serve(service: string, process: SimulatedProcess, routes: Routes) {
      const replica = { process, address: serveInProcess(routes), transports: new Map() };
      replicasOf(service).add(replica);
      process.onDeath(() => replicasOf(service).delete(replica));
    },
    addressOf: (service: string): RpcAddress => ({
      connect(interceptors) {
        const transport = () => {
          const alive = [...replicasOf(service)];
          if (alive.length === 0) throw unavailable(`no ${service} is there`);
          const replica = world.random.pick(alive);
          return replica.transports.getOrInsertComputed(interceptors, () =>
            replica.address.connect([...interceptors, network(replica.process)]),
          );
        };
        return {
          unary: async (...call) => transport().unary(...call),
          stream: async (...call) => transport().stream(...call),
        };
      },
    }),
  };
}

async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  using _listener = addAbortListener(signal, () => aborted.reject(signal.reason));
  return await Promise.race([work(), aborted.promise]);
}

async function untilDeath<T>(
  callee: SimulatedProcess,
  work: () => Promise<T>,
  unavailable: (what: string) => Error,
): Promise<T> {
  if (!callee.isAlive()) throw unavailable(`${callee.name} is gone`);
  const died = Promise.withResolvers<never>();
  const forget = callee.onDeath(() => died.reject(unavailable(`${callee.name} died`)));
  return await Promise.race([work(), died.promise]).finally(forget);
}
