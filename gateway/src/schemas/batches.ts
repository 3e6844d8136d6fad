import { type Static, Type } from 'typebox';
import { CLOSED, pathId, timestamp, WEBHOOK_EXAMPLE, webUrl } from './fields.ts';
import { SplitSettings } from './split-settings.ts';
import { METADATA } from './splits.ts';

export const MAX_BATCH_SOURCES = 1_000;
/** Each job keeps them. */
export const MAX_SETTINGS_BYTES = 16 * 1024;

export const BatchParams = Type.Object({ batchId: pathId('bat', 'The batch.') });

export const CreateBatchBody = Type.Object(
  {
    sources: Type.Array(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'Where an audio file is fetched.',
        examples: ['https://example.org/audio/episode-7.mp3'],
      }),
      { minItems: 1, maxItems: MAX_BATCH_SOURCES, description: 'One job is made of each.' },
    ),
    settings: Type.Object(SplitSettings.properties, {
      ...CLOSED,
      description: `Of every job, as in the body that creates one; at most ${MAX_SETTINGS_BYTES} bytes as JSON.`,
    }),
    webhookUrl: Type.Optional(webUrl("Where to be notified of each job's progress.", WEBHOOK_EXAMPLE)),
    metadata: Type.Optional(Type.Unsafe<Record<string, unknown>>(METADATA)),
  },
  CLOSED,
);
export type CreateBatchBody = Static<typeof CreateBatchBody>;

const counts = {
  id: Type.String(),
  createdAt: timestamp('When the batch was accepted.'),
  total: Type.Integer({ description: 'Its jobs; deleted ones do not count.' }),
  queued: Type.Integer(),
  processing: Type.Integer(),
  completed: Type.Integer(),
  failed: Type.Integer({ description: 'Without the canceled ones.' }),
  canceled: Type.Integer(),
};

export const Batch = Type.Object(counts, { $id: 'Batch' });
export type Batch = Static<typeof Batch>;

const index = Type.Integer({ description: 'Place in `sources`, counted from 0.' });

export const CreatedBatch = Type.Object(
  {
    ...counts,
    jobs: Type.Array(Type.Object({ index, jobId: Type.String() })),
    refused: Type.Array(
      Type.Object({ index, message: Type.String({ description: 'What is wrong with it.' }) }),
      {
        description:
          'Sources of which no job was made. What is found wrong with others later fails their jobs.',
      },
    ),
  },
  { $id: 'CreatedBatch' },
);
export type CreatedBatch = Static<typeof CreatedBatch>;
