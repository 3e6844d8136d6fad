/** Maps the service's types to protobuf messages. */
import {
  type Account as AccountMessage,
  AccountSchema,
  type Export as ExportMessage,
  ExportSchema,
  type Preset as PresetMessage,
  PresetSchema,
} from '@audiosplit/proto/account/v1/account';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Account } from './account.ts';
import type { Deletion } from './deletion/deletion.ts';
import type { Export } from './export/export.ts';
import type { Preset } from './preset.ts';

export function toProtoAccount(
  { createdAt, ...account }: Account,
  deletion: Deletion | undefined,
): AccountMessage {
  return create(AccountSchema, {
    ...account,
    createdAt: timestampFromDate(createdAt),
    ...(deletion === undefined ? {} : { deletionScheduledAt: timestampFromDate(deletion.completeBy) }),
  });
}

export function toProtoExport(from: Export): ExportMessage {
  const { id, status, format, createdAt, estimatedCompletionAt, file, expiresAt } = from;
  return create(ExportSchema, {
    id,
    status,
    format,
    createdAt: timestampFromDate(createdAt),
    estimatedCompletionAt: timestampFromDate(estimatedCompletionAt),
    ...(file === undefined
      ? {}
      : { objectKey: file.objectKey, sizeBytes: BigInt(file.sizeBytes), sha256: file.sha256 }),
    ...(expiresAt === undefined ? {} : { expiresAt: timestampFromDate(expiresAt) }),
  });
}

export function toProtoPreset({ id, name, request, createdAt, updatedAt }: Preset): PresetMessage {
  return create(PresetSchema, {
    id,
    name,
    requestJson: request,
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  });
}
