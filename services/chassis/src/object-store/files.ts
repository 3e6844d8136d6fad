/**
 * The object store on a directory of the local file system.
 *
 * An object is one file: its bytes, then a footer of fixed length with the content type. One rename thus
 * makes it visible with its type, and players and tools can still read the file, because they ignore bytes
 * after the end of their data. The file is written or moved to `incoming/`, flushed to the disk, and then renamed
 * to its place under `objects/`. Files that a crash leaves in `incoming/` are removed a day later. Parts of
 * multipart objects lie under `parts/`.
 *
 * Segments of a key are percent-encoded in file names, and folders are prefixed with `+`: an object and a
 * folder of the same name can coexist, as on S3. A folder is removed with its last object.
 */
import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import {
  access,
  constants,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { hasCode } from '../errors.ts';
import { createFileParts } from './file-parts.ts';
import {
  assertObjectKey,
  assertObjectPrefix,
  assertRangeWithin,
  type ListedObject,
  type ObjectBody,
  ObjectNotFoundError,
  type ObjectStore,
  type PutOptions,
  requireSize,
  type StoredObject,
} from './object-store.ts';

const FOOTER_BYTES = 256;
/** Buffers of the streams in between. */
const PUT_MEMORY_BYTES = 256 * 1024;
const ABANDONED_AFTER_MS = 86_400_000;
/** An empty folder may be removed between its creation and the rename into it. */
const PLACING_ATTEMPTS = 5;

export async function openFileObjectStore(options: { readonly directory: string }): Promise<ObjectStore> {
  const root = resolve(options.directory);
  const objects = join(root, 'objects');
  const incoming = join(root, 'incoming');
  await mkdir(objects, { recursive: true });
  await mkdir(incoming, { recursive: true });
  const parts = createFileParts(join(root, 'parts'));
  await removeAbandoned(incoming);

  const fileOf = (key: string) => {
    assertObjectKey(key);
    const segments = key.split('/').map(encodeURIComponent);
    const name = segments.pop() ?? '';
    return join(objects, ...segments.map((segment) => `+${segment}`), name);
  };
  const folderOf = (prefix: string) => {
    assertObjectPrefix(prefix);
    return join(
      objects,
      ...prefix
        .slice(0, -1)
        .split('/')
        .map((segment) => `+${encodeURIComponent(segment)}`),
    );
  };

  /** Removes empty folders, from `folder` upwards. */
  const removeEmptyFolders = async (folder: string) => {
    for (let path = folder; path !== objects; path = dirname(path)) {
      try {
        await rmdir(path);
      } catch (error) {
        // Another delete may have been faster; the folders above still have to be checked.
        if (!hasCode(error, 'ENOENT')) return;
      }
    }
  };

  const openObject = async (key: string): Promise<{ file: FileHandle; object: StoredObject }> => {
    const file = await open(fileOf(key), 'r').catch((error: unknown) => {
      throw hasCode(error, 'ENOENT') ? new ObjectNotFoundError(key) : error;
    });
    try {
      return { file, object: { ...(await readMetadata(file)), key } };
    } catch (error) {
      await file.close();
      throw error;
    }
  };

  const putBy = async (
    key: string,
    { sizeBytes, signal }: PutOptions,
    write: (temporary: string) => Promise<void>,
  ): Promise<StoredObject> => {
    const temporary = join(incoming, randomUUID());
    try {
      const path = fileOf(key);
      signal?.throwIfAborted();
      await write(temporary);
      const object = await metadataOf(temporary, key);
      requireSize(object, sizeBytes);
      await place(temporary, path);
      return object;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  };

  const put: ObjectStore['put'] = async (key, body, options) => {
    try {
      return await putBy(key, options, (temporary) => writeObject(temporary, body, options));
    } catch (error) {
      body.destroy();
      throw error;
    }
  };

  return {
    putMemoryBytes: () => PUT_MEMORY_BYTES,
    put,
    putFile: (key, path, options) =>
      putBy(key, options, (temporary) => takeFile(path, temporary, options.contentType)),
    beginMultipart: parts.begin,
    putPart: parts.put,
    async completeMultipart(multipart, given) {
      const { body, contentType, sizeBytes } = await parts.read(multipart, given);
      await put(multipart.key, body, { contentType, sizeBytes });
      await parts.remove(multipart);
    },
    abortMultiparts: parts.removeBelow,

    async get(key, range): Promise<ObjectBody> {
      const { file, object } = await openObject(key);
      try {
        if (range !== undefined) assertRangeWithin(object, range);
        if (object.sizeBytes === 0) {
          await file.close();
          return { ...object, body: Readable.from([]) };
        }
        const start = range?.firstByte ?? 0;
        const end = range?.lastByte ?? object.sizeBytes - 1;
        const body = file.createReadStream({ start, end });
        return range === undefined ? { ...object, body, path: fileOf(key) } : { ...object, body };
      } catch (error) {
        await file.close();
        throw error;
      }
    },

    async head(key) {
      const { file, object } = await openObject(key);
      await file.close();
      return object;
    },

    list: (prefix) => walk(folderOf(prefix), prefix),

    async delete(keys) {
      const paths = keys.map(fileOf);
      for (const path of paths) await rm(path, { force: true });
      for (const folder of new Set(paths.map(dirname))) await removeEmptyFolders(folder);
    },

    async deletePrefix(prefix) {
      const folder = folderOf(prefix);
      await rm(folder, { recursive: true, force: true, maxRetries: PLACING_ATTEMPTS, retryDelay: 10 });
      await removeEmptyFolders(dirname(folder));
    },

    check: () => access(objects, constants.R_OK | constants.W_OK),

    async [Symbol.asyncDispose]() {},
  };
}

async function writeObject(path: string, body: Readable, { contentType, signal }: PutOptions): Promise<void> {
  const footer = footerOf(contentType);
  await using file = await open(path, 'wx');
  if (signal !== undefined) addAbortSignal(signal, body);
  await file.writeFile(body);
  await file.write(footer);
  await file.sync();
}

/** Moves the file, or copies it from another file system. */
async function takeFile(from: string, path: string, contentType: string): Promise<void> {
  const footer = footerOf(contentType);
  try {
    await rename(from, path);
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    await copyFile(from, path, constants.COPYFILE_EXCL);
    await rm(from);
  }
  await using file = await open(path, 'a');
  await file.write(footer);
  await file.sync();
}

function footerOf(contentType: string): Buffer {
  const type = Buffer.from(contentType);
  if (type.byteLength > FOOTER_BYTES)
    throw new RangeError(`a content type has at most ${FOOTER_BYTES} bytes`);
  const footer = Buffer.alloc(FOOTER_BYTES);
  type.copy(footer);
  return footer;
}

async function place(temporary: string, path: string): Promise<void> {
  const folder = dirname(path);
  for (let attempt = 1; ; attempt++) {
    try {
      await mkdir(folder, { recursive: true });
      await rename(temporary, path);
      await using handle = await open(folder, 'r');
      await handle.sync();
      return;
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || attempt === PLACING_ATTEMPTS) throw error;
    }
  }
}

async function metadataOf(path: string, key: string): Promise<StoredObject> {
  await using file = await open(path, 'r');
  return { ...(await readMetadata(file)), key };
}

async function readMetadata(file: FileHandle): Promise<Omit<StoredObject, 'key'>> {
  const { size, mtime } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(FOOTER_BYTES), 0, FOOTER_BYTES, size - FOOTER_BYTES);
  const end = buffer.indexOf(0);
  return {
    sizeBytes: size - FOOTER_BYTES,
    contentType: buffer.toString('utf8', 0, end === -1 ? FOOTER_BYTES : end),
    modifiedAt: mtime,
  };
}

async function* walk(folder: string, prefix: string): AsyncGenerator<ListedObject> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  for (const { name, path } of entries.map((entry) => entryOf(entry, folder)).sort(byKeyOrder)) {
    if (name.endsWith('/')) {
      yield* walk(path, prefix + name);
      continue;
    }
    const stats = await ifThere(stat(path));
    if (stats === undefined) continue;
    yield { key: prefix + name, sizeBytes: stats.size - FOOTER_BYTES, modifiedAt: stats.mtime };
  }
}

interface Entry {
  /** As in the key; folders end with `/`, so they sort like the keys below them. */
  readonly name: string;
  readonly path: string;
}

function entryOf(entry: Dirent, folder: string): Entry {
  const name = entry.isDirectory()
    ? `${decodeURIComponent(entry.name.slice(1))}/`
    : decodeURIComponent(entry.name);
  return { name, path: join(folder, entry.name) };
}

function byKeyOrder(a: Entry, b: Entry): number {
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
}

async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const stats = await ifThere(stat(path));
    if (stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_AFTER_MS)
      await rm(path, { force: true });
  }
}

/** Undefined if the file or folder does not exist. */
function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  return result.catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
}
