import type { Account as ProtoAccount, Export as ProtoExport } from '@audiosplit/proto/account/v1/account';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Principal } from '../credentials/principal.ts';
import type { DownloadLinks } from '../downloads/download-links.ts';
import type { Account, Export, StartedExport } from '../schemas/account.ts';
import { oneOfWords, present, toIsoTime } from './messages.ts';

const EXPORT_STATUSES = ['processing', 'completed', 'failed', 'expired'] as const;
const EXPORT_FORMATS = ['json', 'csv'] as const;

export function fromProtoAccount(
  answer: { readonly account?: ProtoAccount | undefined },
  { suspension }: Pick<Principal, 'suspension'>,
): Account {
  const { id, email, name, createdAt, deletionScheduledAt } = present(answer.account, 'an account');
  return {
    id,
    ...(email === '' ? {} : { email }),
    name,
    createdAt: toIsoTime(createdAt),
    ...(deletionScheduledAt === undefined ? {} : { deletionScheduledAt: toIsoTime(deletionScheduledAt) }),
    ...(suspension === undefined ? {} : { suspension }),
  };
}

export function toStartedExport(answer: { readonly export?: ProtoExport | undefined }): StartedExport {
  const started = present(answer.export, 'an export');
  return {
    exportId: started.id,
    status: oneOfWords(EXPORT_STATUSES, started.status),
    format: oneOfWords(EXPORT_FORMATS, started.format),
    estimatedCompletionAt: toIsoTime(started.estimatedCompletionAt),
    message: 'Your data is being gathered; you will be told when the export is ready.',
  };
}

export function fromProtoExport(from: ProtoExport | undefined, links: DownloadLinks): Export {
  const given = present(from, 'an export');
  const { objectKey, expiresAt, sizeBytes, sha256 } = given;
  const status = oneOfWords(EXPORT_STATUSES, given.status);
  const hasFile = status === 'completed' && objectKey !== undefined;
  return {
    exportId: given.id,
    status,
    format: oneOfWords(EXPORT_FORMATS, given.format),
    createdAt: toIsoTime(given.createdAt),
    estimatedCompletionAt: toIsoTime(given.estimatedCompletionAt),
    ...(hasFile ? { downloadUrl: linkToFile(objectKey, expiresAt && timestampDate(expiresAt), links) } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt: toIsoTime(expiresAt) }),
    ...(sizeBytes === undefined ? {} : { sizeBytes: Number(sizeBytes) }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}

function linkToFile(objectKey: string, endsAt: Date | undefined, links: DownloadLinks): string {
  const fileName = objectKey.slice(objectKey.lastIndexOf('/') + 1);
  return links.signer(endsAt)(objectKey, fileName).url;
}
