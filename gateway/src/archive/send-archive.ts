import { Readable } from 'node:stream';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type ArchiveEntry, archiveSizeBytes, createArchive } from './archive.ts';

/** A file of the archive, from the object store or generated here. */
export type SentEntry = ArchiveEntry & ({ readonly objectKey: string } | { readonly bytes: Buffer });

interface SentArchive {
  readonly fileName: string;
  readonly entries: readonly SentEntry[];
  /** The modification time of all of its files. */
  readonly madeAt: Date;
  readonly store: Pick<ObjectStore, 'get'>;
}

export const archiveResponse: Readonly<Record<number, unknown>> = {
  200: {
    description: 'The archive.',
    content: { 'application/zip': { schema: Type.String({ format: 'binary' }) } },
  },
};

/** Answers GET with the archive, and HEAD with its headers. */
export function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  { fileName, entries, madeAt, store }: SentArchive,
): FastifyReply {
  reply.headers({
    'content-type': 'application/zip',
    'content-disposition': contentDisposition(fileName),
    'content-length': archiveSizeBytes(entries),
    'accept-ranges': 'none',
  });
  if (request.method === 'HEAD') return reply.send();
  return reply.send(
    createArchive(entries, madeAt, async (entry) =>
      'bytes' in entry ? Readable.from([entry.bytes]) : (await store.get(entry.objectKey)).body,
    ),
  );
}
