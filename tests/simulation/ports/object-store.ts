/** The object store in memory: its content is authoritative, regardless of the outcomes that callers saw. */
import { Readable } from 'node:stream';
import {
  ObjectNotFoundError,
  type ObjectStore,
  putFileBy,
  type StoredObject,
} from '@audiosplit/chassis/object-store/object-store';
import { callPort, InjectedFaultError, type PortAccess } from '../faults/faults.ts';
import { currentProcess } from '../world/process.ts';

const MAX_UPLOAD_MS = 5 * 60_000;

interface StoreAccess extends PortAccess {
  /** Called when an object has been added or removed. */
  noteChange(): void;
}

export interface SimulatedObjectStore extends ObjectStore {
  readonly objects: ReadonlyMap<string, StoredObject>;
}

export function createSimulatedObjectStore(access: StoreAccess): SimulatedObjectStore {
  const { world } = access;
  const objects = new Map<string, StoredObject>();
  const remove = (what: string, isMeant: (key: string) => boolean) =>
    callPort(access, 'object delete', what, () => {
      for (const key of objects.keys()) if (isMeant(key)) objects.delete(key);
      access.noteChange();
    });
  const put: ObjectStore['put'] = async (key, body, { contentType, signal }) => {
    const forget = currentProcess()?.onDeath(() => body.destroy());
    try {
      const startedAtMs = world.nowMs();
      let sizeBytes = 0;
      for await (const chunk of body) sizeBytes += (chunk as Buffer).length;
      return await callPort(access, 'object put', '', () => {
        signal?.throwIfAborted();
        // No connection survives such a long leap of the clock.
        if (world.nowMs() - startedAtMs > MAX_UPLOAD_MS)
          throw new InjectedFaultError('the upload was cut off');
        const stored = { key, sizeBytes, contentType, modifiedAt: new Date(world.nowMs()) };
        objects.set(key, stored);
        return stored;
      });
    } finally {
      forget?.();
      body.destroy();
    }
  };
  return {
    objects,
    putMemoryBytes: () => 0,
    put,
    putFile: putFileBy(put),
    get: (key, range) =>
      callPort(access, 'object get', key, () => {
        const object = objects.get(key);
        if (object === undefined) throw new ObjectNotFoundError(key);
        const { firstByte, lastByte } = range ?? { firstByte: 0, lastByte: object.sizeBytes - 1 };
        if (lastByte >= object.sizeBytes) throw new RangeError(`${key} has ${object.sizeBytes} bytes`);
        return { ...object, body: Readable.from([Buffer.alloc(lastByte - firstByte + 1)]) };
      }),
    async head(key) {
      const object = objects.get(key);
      if (object === undefined) throw new ObjectNotFoundError(key);
      return object;
    },
    async *list(prefix) {
      const found = await callPort(access, 'object list', prefix, () =>
        [...objects.values()].filter(({ key }) => key.startsWith(prefix)),
      );
      yield* found;
    },
    delete: (keys) => remove('keys', (key) => keys.includes(key)),
    deletePrefix: (prefix) => remove('prefix', (key) => key.startsWith(prefix)),
    // The simulation uploads no files in parts.
    beginMultipart: () => Promise.reject(new Error('no object comes in parts')),
    putPart: () => Promise.reject(new Error('no object comes in parts')),
    completeMultipart: () => Promise.reject(new Error('no object comes in parts')),
    async abortMultiparts() {},
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
}
