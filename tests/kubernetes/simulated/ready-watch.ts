/**
 * How many pods of each component were ready at the least, by every change of a pod that the API server tells, and not by samples:
 * simulated pods come and go within seconds.
 *
 * A pod counts while it is ready and has not been told to leave, as the controller of disruption budgets counts. Should the stream
 * end by itself, what came after is unknown, and whoever asks for the fewest is told so.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import type { KubernetesApi, WatchEvent } from '../../../deploy/kubernetes/api.ts';
import { COMPONENTS } from '../../../deploy/kubernetes/components.ts';
import { isReady } from '../../../deploy/kubernetes/conditions.ts';
import { componentOf, PODS, type Pod } from '../workload.ts';

type Counts = Readonly<Record<string, number>>;

/** What counts, as far as events have told. */
export interface ReadyCount {
  see(event: WatchEvent<Pod>): void;
  /** By component, since the last `restart`. */
  fewest(): Counts;
  /** Of now. */
  restart(): void;
}

export interface ReadyWatch extends Pick<ReadyCount, 'restart' | 'fewest'>, AsyncDisposable {}

export function countReady(): ReadyCount {
  const ready = new Map<string, string>();
  const count = () =>
    Object.fromEntries(
      COMPONENTS.map((name) => [name, [...ready.values()].filter((each) => each === name).length]),
    );
  let fewest: Counts = count();
  return {
    see({ type, object }) {
      const counts = type !== 'DELETED' && object.metadata.deletionTimestamp === undefined && isReady(object);
      if (counts) ready.set(object.metadata.uid, componentOf(object));
      else ready.delete(object.metadata.uid);
      const now = count();
      fewest = Object.fromEntries(
        COMPONENTS.map((name) => [name, Math.min(fewest[name] ?? 0, now[name] ?? 0)]),
      );
    },
    fewest: () => fewest,
    restart() {
      fewest = count();
    },
  };
}

export function watchReady(api: KubernetesApi): ReadyWatch {
  const over = new AbortController();
  const count = countReady();
  let ended: string | undefined;
  const loop = (async () => {
    try {
      for await (const event of api.watch<Pod>(PODS, over.signal)) count.see(event);
      ended = 'the stream ended';
    } catch (error) {
      ended = messageOf(error);
    }
  })();
  const known = () => {
    if (ended !== undefined) throw new Error(`nobody knows how many pods were ready: ${ended}`);
    return count;
  };
  return {
    fewest: () => known().fewest(),
    restart: () => known().restart(),
    async [Symbol.asyncDispose]() {
      over.abort();
      await loop;
    },
  };
}
