/**
 * Sources that callers have uploaded to the service itself. Their links lie below the public address, and
 * are read from the object store directly: the splitter needs no way to the gateway, and no hole in its
 * egress. The link's signature is checked as the gateway would.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import {
  type ObjectBody,
  ObjectNotFoundError,
  type ObjectStore,
} from '@audiosplit/chassis/object-store/object-store';
import { verifyLink } from '@audiosplit/chassis/secrets/signed-url';
import type { LocalFile } from '../media/source/local-file.ts';
import type { OpenSource, SourceOptions } from './fetch-source.ts';
import { SourceError, tooLargeError } from './source-error.ts';
import { sourceFileName } from './source-file-name.ts';

export interface UploadedSources {
  /** Whether the URL is that of an upload. */
  owns(url: string): boolean;
  /** Throws SourceError. */
  inspect(url: string): Promise<{ readonly sizeBytes: number }>;
  /** Throws SourceError. */
  open(url: string, options: SourceOptions): Promise<OpenSource>;
}

interface UploadedSourcesOptions {
  readonly store: ObjectStore;
  /** Undefined: there are no uploads. */
  readonly publicBaseUrl: string | undefined;
  readonly secret: string;
  readonly clock: Clock;
}

const UPLOADS_PATH = '/uploads/';

export function createUploadedSources({
  store,
  publicBaseUrl,
  secret,
  clock,
}: UploadedSourcesOptions): UploadedSources {
  const base = publicBaseUrl === undefined ? null : URL.parse(publicBaseUrl);

  const keyOf = (url: string): string => {
    const verdict = verifyLink('GET', url, clock(), secret);
    switch (verdict.status) {
      case 'valid':
        return verdict.path.slice(1);
      case 'expired':
        throw new SourceError(
          'SOURCE_UNREACHABLE',
          'The upload link has expired: upload the file again.',
          false,
        );
      case 'forged':
        throw new SourceError('SOURCE_UNREACHABLE', 'The upload link is not one that was given out.', false);
      default:
        return verdict satisfies never;
    }
  };

  return {
    owns(url) {
      const parsed = URL.parse(url);
      if (base === null || parsed === null || !parsed.pathname.startsWith(UPLOADS_PATH)) return false;
      // A link that we have signed is ours under whatever address it was given out: that may have changed since.
      return parsed.origin === base.origin || verifyLink('GET', url, clock(), secret).status !== 'forged';
    },
    async inspect(url) {
      const key = keyOf(url);
      const { sizeBytes } = await whereStored(store.head(key));
      return { sizeBytes };
    },
    async open(url, { maxBytes, signal }) {
      const object = await whereStored(store.get(keyOf(url)));
      if (object.sizeBytes > maxBytes) {
        object.body.destroy();
        throw tooLargeError(maxBytes);
      }
      return openObject(url, object, () => whereStored(store.get(object.key)), signal);
    },
  };
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
  // A body that breaks before it is read reports that to its reader. Without a listener it would end the process.
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
