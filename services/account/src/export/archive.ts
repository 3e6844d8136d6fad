/**
 * A streamed zip archive, with a manifest of sizes and digests at its end. One page of one file is in memory at a time,
 * and the reader of the archive sets the pace.
 */
import { createHash } from 'node:crypto';
import { pipeline, Readable, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export interface ArchiveEntry {
  readonly path: string;
  readonly content: AsyncIterable<string | Buffer>;
}

interface FileDigest {
  readonly sizeBytes: number;
  /** In hex. */
  readonly sha256: string;
}

interface Archive {
  /** Fails with the error of an entry. Must be read to its end or destroyed. */
  readonly body: Readable;
  /** The digest of the whole archive, once the body has ended. */
  digest(): FileDigest;
}

const MANIFEST_PATH = 'manifest.json';

/** @param about Further fields of the manifest. */
export function packArchive(
  entries: AsyncIterable<ArchiveEntry>,
  about: Readonly<Record<string, unknown>>,
  createdAt: Date,
): Archive {
  const zip = new ZipFile();
  const whole = createDigest();
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      whole.add(chunk);
      done(null, chunk);
    },
  });
  // The reader of the body gets the error.
  pipeline(zip.outputStream, body, () => undefined);
  zip.on('error', (error: Error) => body.destroy(error));

  let source: Readable | undefined;
  body.once('close', () => source?.destroy());
  const pack = async () => {
    const files: (FileDigest & { readonly path: string })[] = [];
    for await (const { path, content } of entries) {
      const digest = createDigest();
      source = Readable.from(digested(content, digest), { objectMode: false });
      if (body.destroyed) return;
      zip.addReadStream(source, path, { mtime: createdAt });
      await finished(source);
      files.push({ path, ...digest.finish() });
    }
    const manifest = JSON.stringify({ ...about, createdAt, files }, null, 2);
    zip.addBuffer(Buffer.from(`${manifest}\n`), MANIFEST_PATH, { mtime: createdAt });
    zip.end();
  };
  pack().catch((error: unknown) => body.destroy(error instanceof Error ? error : new Error(String(error))));
  return { body, digest: () => whole.finish() };
}

async function* digested(content: AsyncIterable<string | Buffer>, digest: Digest): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    const bytes = Buffer.from(chunk);
    digest.add(bytes);
    yield bytes;
  }
}

interface Digest {
  add(bytes: Buffer): void;
  finish(): FileDigest;
}

function createDigest(): Digest {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  return {
    add(bytes) {
      hash.update(bytes);
      sizeBytes += bytes.length;
    },
    finish: () => ({ sizeBytes, sha256: hash.digest('hex') }),
  };
}
