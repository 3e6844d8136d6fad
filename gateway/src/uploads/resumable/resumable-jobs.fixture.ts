/**
 * The resumable uploads of the jobs service, in memory: its own tests run the same checks on the real one.
 */
import { ServiceError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type {
  AddUploadBytesRequest,
  UploadPart,
  UploadReport,
  UploadTail,
} from '@audiosplit/proto/jobs/v1/jobs';
import { UploadState } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';

interface KnownUpload {
  sizeBytes: bigint;
  arrivedBytes: bigint;
  multipartId: string;
  metadata: string;
  parts: UploadPart[];
  tail?: UploadTail;
  isStored: boolean;
}

class Refusal extends ServiceError {}

export function createResumableJobs(clock: () => Date) {
  const uploads = new Map<string, KnownUpload>();
  let lastPart = 0;
  const known = (uploadId: string) => {
    const upload = uploads.get(uploadId);
    if (upload === undefined) throw new Refusal(Reason.UPLOAD_NOT_FOUND, 'There is no such upload.');
    return upload;
  };
  const conflict = (upload: KnownUpload) =>
    new Refusal(Reason.UPLOAD_OFFSET_CONFLICT, `${upload.arrivedBytes} bytes of the file have arrived.`);
  return {
    uploads,
    reserveUpload({ sizeBytes }: { readonly sizeBytes?: bigint | undefined }) {
      const uploadId = newId('upl');
      const empty = { multipartId: '', metadata: '', parts: [], isStored: false, arrivedBytes: 0n };
      uploads.set(uploadId, { ...empty, sizeBytes: sizeBytes ?? 0n });
      return { uploadId, reservedAt: timestampFromDate(clock()) };
    },
    reportUploads({ uploads: reports }: { readonly uploads: readonly UploadReport[] }) {
      for (const { uploadId, state } of reports) {
        const upload = uploads.get(uploadId);
        if (upload !== undefined && state === UploadState.STORED) upload.isStored = true;
      }
      return {};
    },
    beginResumableUpload({
      uploadId,
      ...begun
    }: {
      readonly uploadId: string;
      readonly multipartId: string;
      readonly metadata: string;
    }) {
      const { multipartId, metadata } = begun;
      const upload = known(uploadId);
      if (upload.multipartId === '') Object.assign(upload, { multipartId, metadata });
      return {};
    },
    getResumableUpload: ({ uploadId }: { readonly uploadId: string }) => known(uploadId),
    takeUploadPart: () => ({ number: ++lastPart }),
    addUploadBytes({ uploadId, afterBytes, addedBytes, kept }: AddUploadBytesRequest) {
      const upload = known(uploadId);
      if (upload.arrivedBytes !== afterBytes) throw conflict(upload);
      upload.arrivedBytes += addedBytes;
      delete upload.tail;
      if (kept.case === 'part') upload.parts.push(kept.value);
      if (kept.case === 'tail') upload.tail = kept.value;
      return {};
    },
    removeResumableUpload({ uploadId }: { readonly uploadId: string }) {
      const upload = known(uploadId);
      if (upload.arrivedBytes === upload.sizeBytes) throw conflict(upload);
      uploads.delete(uploadId);
      return {};
    },
  };
}
