/** The calls of JobsService for uploads in parts. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { AddUploadBytesRequest, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { UploadNotFoundError } from '../errors.ts';
import { type ArrivedBytes, beginResumableUpload } from '../store/uploads/resumable-uploads.ts';
import {
  addUploadBytes,
  readResumableUpload,
  removeResumableUpload,
  takeUploadPart,
} from './resumable-upload.ts';

type ResumableUploadRpc = Pick<
  ServiceImpl<typeof JobsService>,
  | 'beginResumableUpload'
  | 'getResumableUpload'
  | 'takeUploadPart'
  | 'addUploadBytes'
  | 'removeResumableUpload'
>;

export function createResumableUploadRpc(pool: Pool): ResumableUploadRpc {
  const refOf = (id: string, context: HandlerContext) => ({
    id,
    accountId: requireAccount(context).accountId,
  });
  return {
    async beginResumableUpload({ uploadId, multipartId, metadata }, context) {
      const isBegun = await beginResumableUpload(pool, refOf(uploadId, context), { multipartId, metadata });
      if (!isBegun) throw new UploadNotFoundError(uploadId);
      return {};
    },

    async getResumableUpload({ uploadId }, context) {
      const upload = await readResumableUpload(pool, refOf(uploadId, context));
      const { sizeBytes, arrivedBytes, parts, tail, multipartId, metadata, isStored } = upload;
      return {
        multipartId,
        metadata,
        isStored,
        sizeBytes: BigInt(sizeBytes),
        arrivedBytes: BigInt(arrivedBytes),
        parts: parts.map((part) => ({ ...part, sizeBytes: BigInt(part.sizeBytes) })),
        ...(tail === undefined ? {} : { tail: { id: tail.id, sizeBytes: BigInt(tail.sizeBytes) } }),
      };
    },

    async takeUploadPart({ uploadId }, context) {
      return { number: await takeUploadPart(pool, refOf(uploadId, context)) };
    },

    async addUploadBytes(request, context) {
      await addUploadBytes(pool, refOf(request.uploadId, context), toArrivedBytes(request));
      return {};
    },

    async removeResumableUpload({ uploadId }, context) {
      await removeResumableUpload(pool, refOf(uploadId, context));
      return {};
    },
  };
}

function toArrivedBytes({ afterBytes, addedBytes, kept }: AddUploadBytesRequest): ArrivedBytes {
  const arrived = { afterBytes: Number(afterBytes), addedBytes: Number(addedBytes) };
  switch (kept.case) {
    case 'part': {
      const { number, sizeBytes, tag } = kept.value;
      return { ...arrived, kept: { part: { number, sizeBytes: Number(sizeBytes), tag } } };
    }
    case 'tail': {
      const { id, sizeBytes } = kept.value;
      return { ...arrived, kept: { tail: { id, sizeBytes: Number(sizeBytes) } } };
    }
    case undefined:
      throw new InvalidParamsError('kept', 'is required');
    default:
      return kept satisfies never;
  }
}
