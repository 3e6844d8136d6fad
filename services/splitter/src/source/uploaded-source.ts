/**
 * Sources that callers have uploaded to the service itself. They are read from the object store, so the
 * splitter needs no access to the gateway and no exception in its egress. The gateway verifies the link when
 * the job is created.
 */
import {
  isObjectKey,
  type ObjectBody,
  ObjectNotFoundError,
  type ObjectStore,
} from '@audiosplit/chassis/object-store/object-store';
import { decodePath } from '@audiosplit/chassis/secrets/signed-url';
import type { LocalFile } from '@audiosplit/engine/source/local-file';
import type { OpenSource, SourceOptions } from './fetch-source.ts';
import { SourceError, tooLargeError } from './source-error.ts';
import { sourceFileName } from './source-file-name.ts';

interface Upload {
  readonly key: string;
  /** Contains the file name of the source. */
  readonly url: string;
  /** Of the job. */
  readonly accountId: string;
}

export interface UploadedSources {
  /**
   * The key for a link below the public address, in a job of a release that did not store the key; undefined
   * for any other address. The signature is not verified: `open` reads only uploads of the job's own account.
   */
  keyOf(url: string): string | undefined;
  /** Throws SourceError. */
  sizeOf(key: string): Promise<number>;
  /** Throws SourceError, also for an upload of another account. */
  open(upload: Upload, options: SourceOptions): Promise<OpenSource>;
}

interface UploadedSourcesOptions {
  readonly store: ObjectStore;
  readonly publicBaseUrl: string | undefined;
}

export const UPLOADS_PREFIX = 'uploads/';

export function createUploadedSources({ store, publicBaseUrl }: UploadedSourcesOptions): UploadedSources {
  const base = publicBaseUrl === undefined ? null : URL.parse(publicBaseUrl);

  return {
    keyOf(url) {
      const parsed = URL.parse(url);
      if (base === null || parsed?.origin !== base.origin) return undefined;
      if (!parsed.pathname.startsWith(`/${UPLOADS_PREFIX}`)) return undefined;
      return (decodePath(parsed.pathname) ?? parsed.pathname).slice(1);
    },
    async sizeOf(key) {
      requirePrefix(key, UPLOADS_PREFIX);
      const { sizeBytes } = await whereStored(store.head(key));
      return sizeBytes;
    },
    async open({ key, url, accountId }, { maxBytes, signal }) {
      requirePrefix(key, `${UPLOADS_PREFIX}${accountId}/`);
      const object = await whereStored(store.get(key));
      if (object.sizeBytes > maxBytes) {
        object.body.destroy();
        throw tooLargeError(maxBytes);
      }
      return openObject(url, object, () => whereStored(store.get(key)), signal);
    },
  };
}

function requirePrefix(key: string, prefix: string): void {
  if (key.startsWith(prefix) && isObjectKey(key)) return;
  throw new SourceError('SOURCE_UNREACHABLE', 'The upload link is not one that was given out.', false);
}

async function whereStored<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ObjectNotFoundError)) throw error;
    const message = 'Nothing has been uploaded under this link: PUT the file to its uploadUrl first.';
    throw new SourceError('SOURCE_UNREACHABLE', message, false);
  }
}

function fileOf({ sizeBytes, modifiedAt }: ObjectBody, path: string): LocalFile {
  return { path, sizeBytes, modifiedAtMs: modifiedAt.getTime() };
}

function openObject(
  url: string,
  object: ObjectBody,
  getAgain: () => Promise<ObjectBody>,
  signal: AbortSignal,
): OpenSource {
  const { body } = object;
  // A body that breaks before it is read reports the error to its reader. Without a listener it would end the
  // process.
  body.on('error', () => undefined);
  let bytesRead = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      signal.throwIfAborted();
      bytesRead += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }
  async function* readAgain(): AsyncGenerator<Uint8Array> {
    const again = await getAgain();
    if (again.sizeBytes !== object.sizeBytes || again.modifiedAt.getTime() !== object.modifiedAt.getTime()) {
      again.body.destroy();
      throw new SourceError('SOURCE_UNREACHABLE', 'The upload was replaced while it was being split.', true);
    }
    for await (const chunk of again.body) {
      signal.throwIfAborted();
      yield chunk as Buffer;
    }
  }
  return {
    fileName: sourceFileName(url),
    declaredSizeBytes: object.sizeBytes,
    contentType: object.contentType,
    body: chunks(),
    ...(object.path === undefined ? {} : { file: fileOf(object, object.path) }),
    reopen: readAgain,
    bytesRead: () => bytesRead,
    async [Symbol.asyncDispose]() {
      body.destroy();
    },
  };
}
