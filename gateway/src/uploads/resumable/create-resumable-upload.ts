import { runWithoutIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Metadata } from '@tus/server';
import type { Principal } from '../../credentials/principal.ts';
import { invalidParams } from '../../http/input/validation.ts';
import { present } from '../../mapping/messages.ts';
import type { RouteDependencies } from '../../routes/route-dependencies.ts';
import { PATTERN_MESSAGES, PATTERNS } from '../../schemas/patterns.ts';
import type { UploadLinks } from '../upload-links.ts';
import { createResumableLinks } from './resumable-links.ts';

/** By the keys that tus clients use. */
export type UploadMetadata = Readonly<Record<string, string | null>>;

export interface CreatedUpload extends UploadLinks {
  readonly uploadId: string;
}

const MAX_METADATA_LENGTH = 4_096;
const MAX_NAME_LENGTH = 255;
const DEFAULT_NAME = 'audio';
const DEFAULT_TYPE = 'application/octet-stream';
const PLAIN_NAME = new RegExp(PATTERNS.plainFileName, 'u');
const CONTENT_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/;

/** Reserves a place for a file of this size, to be sent in parts. Throws as `POST /uploads` does. */
export async function createResumableUpload(
  { links, store, services: { jobs, actingFor } }: Pick<RouteDependencies, 'links' | 'store' | 'services'>,
  principal: Principal,
  { sizeBytes, metadata }: { readonly sizeBytes: number; readonly metadata: UploadMetadata },
): Promise<CreatedUpload> {
  if (!(Number.isSafeInteger(sizeBytes) && sizeBytes > 0)) {
    throw invalidParams([
      { field: 'Upload-Length', message: 'must be the size of the file, at least 1 byte' },
    ]);
  }
  const fileName = fileNameIn(metadata);
  const text = Metadata.stringify({ ...metadata });
  if (text.length > MAX_METADATA_LENGTH) {
    throw invalidParams([
      { field: 'Upload-Metadata', message: `must have at most ${MAX_METADATA_LENGTH} characters` },
    ]);
  }
  const { accountId } = principal;
  const reserved = await jobs.reserveUpload({ sizeBytes: BigInt(sizeBytes) }, actingFor(principal));
  const { uploadId } = reserved;
  const given = metadata.filetype ?? '';
  const contentType = CONTENT_TYPE.test(given) ? given : DEFAULT_TYPE;
  const multipartId = await store.beginMultipart(`uploads/${accountId}/${uploadId}/${fileName}`, {
    contentType,
  });
  // The key of this call is for the reservation. A repeat begins anew, and the first beginning stays.
  await runWithoutIdempotencyKey(() =>
    jobs.beginResumableUpload({ uploadId, multipartId, metadata: text }, actingFor(principal)),
  );
  const reservedAt = timestampDate(present(reserved.reservedAt, 'a time'));
  return {
    uploadId,
    ...createResumableLinks(links, { accountId, uploadId, fileName, sizeBytes, reservedAt }),
  };
}

function fileNameIn({ filename, name }: UploadMetadata): string {
  const given = filename ?? name ?? '';
  if (given === '') return DEFAULT_NAME;
  if (given.length > MAX_NAME_LENGTH || !given.isWellFormed() || !PLAIN_NAME.test(given)) {
    const message = `${PATTERN_MESSAGES[PATTERNS.plainFileName]}, of at most ${MAX_NAME_LENGTH} characters`;
    throw invalidParams([{ field: 'Upload-Metadata', message: `filename ${message}` }]);
  }
  return given;
}
