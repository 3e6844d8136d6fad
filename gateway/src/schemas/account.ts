import { type Static, Type } from 'typebox';
import { CLOSED, oneOf, pathId, timestamp, WEBHOOK_EXAMPLE, webUrl } from './fields.ts';
import { Pagination } from './pagination.ts';
import { ref } from './ref.ts';

const DELETION_CONFIRMATION = 'DELETE MY ACCOUNT';
export const exportFormat = oneOf(['json', 'csv'], 'How the data is written; csv is a zip of tables.');
const exportStatus = oneOf(['processing', 'completed', 'failed', 'expired'], 'Where the export stands.');

export const Account = Type.Object(
  {
    id: Type.String(),
    email: Type.Optional(Type.String({ description: 'Absent where an external issuer has verified none.' })),
    name: Type.String(),
    createdAt: timestamp('When the account was registered.'),
    deletionScheduledAt: Type.Optional(
      timestamp('Present once deletion was asked for: all data is gone by then.'),
    ),
    suspension: Type.Optional(
      Type.Object(
        { suspendedAt: timestamp('Since when.'), reason: Type.String({ description: 'Why.' }) },
        {
          description:
            'Present while the account is suspended: it starts no jobs and makes no other changes that cost money ' +
            '(`ACCOUNT_SUSPENDED`).',
        },
      ),
    ),
  },
  { $id: 'Account' },
);
export type Account = Static<typeof Account>;

export const DeleteAccountBody = Type.Object(
  { confirmation: Type.Literal(DELETION_CONFIRMATION, { description: 'This exact text.' }) },
  CLOSED,
);

export const DeletionScheduled = Type.Object(
  { message: Type.String(), deletionScheduledAt: timestamp('All data is gone by then.') },
  { $id: 'DeletionScheduled' },
);

export const CreateExportBody = Type.Object(
  {
    format: Type.Optional(
      Type.Enum(['json', 'csv'], {
        type: 'string',
        default: 'json',
        description: 'How the data is written.',
      }),
    ),
    webhookUrl: Type.Optional(webUrl('Where to be notified when the export is ready.', WEBHOOK_EXAMPLE)),
  },
  CLOSED,
);

export const ExportParams = Type.Object({ exportId: pathId('exp', 'The export.') });

export const StartedExport = Type.Object(
  {
    exportId: Type.String(),
    status: exportStatus,
    format: exportFormat,
    estimatedCompletionAt: timestamp('When it will probably be ready.'),
    message: Type.String(),
  },
  { $id: 'StartedExport' },
);
export type StartedExport = Static<typeof StartedExport>;

export const Export = Type.Object(
  {
    exportId: Type.String(),
    status: exportStatus,
    format: exportFormat,
    createdAt: timestamp('When it was asked for.'),
    estimatedCompletionAt: timestamp('When it will probably be ready, or was expected to be.'),
    downloadUrl: Type.Optional(Type.String({ description: 'Signed link to the file, once completed.' })),
    expiresAt: Type.Optional(timestamp('When the file is removed.')),
    sizeBytes: Type.Optional(Type.Integer()),
    sha256: Type.Optional(Type.String({ description: 'Digest of the file, in hex.' })),
  },
  { $id: 'Export' },
);
export type Export = Static<typeof Export>;

export const ExportList = Type.Object(
  { data: Type.Array(ref(Export)), pagination: ref(Pagination) },
  { $id: 'ExportList' },
);
