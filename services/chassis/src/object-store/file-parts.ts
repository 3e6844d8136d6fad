/**
 * Multipart objects on the local file system. `parts/` has a folder for each multipart upload, with its
 * content type and a file for each part; part files are written to a temporary name and renamed. Completing
 * copies them.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { hasCode } from '../errors.ts';
import {
  assertObjectKey,
  assertObjectPrefix,
  MultipartNotFoundError,
  type MultipartRef,
  type ObjectStore,
  requireSize,
} from './object-store.ts';

interface FileParts {
  readonly begin: ObjectStore['beginMultipart'];
  readonly put: ObjectStore['putPart'];
  read(
    multipart: MultipartRef,
    parts: Parameters<ObjectStore['completeMultipart']>[1],
  ): Promise<{ readonly body: Readable; readonly contentType: string; readonly sizeBytes: number }>;
  remove(multipart: MultipartRef): Promise<void>;
  readonly removeBelow: ObjectStore['abortMultiparts'];
}

const TYPE_FILE = 'content-type';

export function createFileParts(root: string): FileParts {
  const folderOf = (path: string) =>
    join(root, ...path.split('/').map((segment) => `+${encodeURIComponent(segment)}`));
  const folderOfParts = ({ key, multipartId }: MultipartRef) => {
    assertObjectKey(key);
    return join(folderOf(key), encodeURIComponent(multipartId));
  };
  const fileOf = (number: number, tag: string) => `${number}.${encodeURIComponent(tag)}`;
  /** If the folder or file is missing, the upload does not exist. */
  const found = <T>(key: string, result: Promise<T>) =>
    result.catch((error: unknown) => {
      throw hasCode(error, 'ENOENT') ? new MultipartNotFoundError(key, error) : error;
    });

  return {
    async begin(key, { contentType }) {
      const multipartId = randomUUID();
      const folder = folderOfParts({ key, multipartId });
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, TYPE_FILE), contentType);
      return multipartId;
    },

    async put({ number, ...multipart }, body, sizeBytes) {
      const { key } = multipart;
      const tag = randomUUID();
      let incoming: string | undefined;
      try {
        const folder = folderOfParts(multipart);
        incoming = join(folder, `incoming-${tag}`);
        await using file = await found(key, open(incoming, 'wx'));
        await file.writeFile(body);
        requireSize({ key, sizeBytes: (await file.stat()).size, modifiedAt: new Date() }, sizeBytes);
        await file.sync();
        await found(key, rename(incoming, join(folder, fileOf(number, tag))));
        return tag;
      } catch (error) {
        body.destroy();
        if (incoming !== undefined) await rm(incoming, { force: true });
        throw error;
      }
    },

    async read(multipart, parts) {
      const { key } = multipart;
      const folder = folderOfParts(multipart);
      const contentType = await found(key, readFile(join(folder, TYPE_FILE), 'utf8'));
      const paths = parts
        .toSorted((a, b) => a.number - b.number)
        .map(({ number, tag }) => join(folder, fileOf(number, tag)));
      let sizeBytes = 0;
      for (const path of paths) sizeBytes += (await found(key, stat(path))).size;
      const concatenated = async function* () {
        for (const path of paths) yield* createReadStream(path);
      };
      return { body: Readable.from(concatenated(), { objectMode: false }), contentType, sizeBytes };
    },

    remove: (multipart) => rm(folderOfParts(multipart), { recursive: true, force: true }),

    async removeBelow(prefix) {
      assertObjectPrefix(prefix);
      await rm(folderOf(prefix.slice(0, -1)), { recursive: true, force: true });
    },
  };
}
