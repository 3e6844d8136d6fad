import { BUCKET_ACTIONS } from '@audiosplit/proto/vocabulary';
import { type Static, Type } from 'typebox';
import { CLOSED, oneOf, pathId, timestamp } from './fields.ts';
import { PATTERNS } from './patterns.ts';
import { ref } from './ref.ts';

const name = Type.String({
  pattern: PATTERNS.connectionName,
  description:
    'Unique in the account: 1 to 63 lower-case letters, digits and hyphens. Jobs name the connection by it, or by its id.',
  examples: ['archive'],
});
const bucketFields = {
  type: Type.Literal('s3', { description: 'S3, or a store that speaks its protocol.' }),
  endpoint: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      pattern: PATTERNS.webUrl,
      description:
        'Of a store other than Amazon S3, http or https; the bucket then stands in the path of its requests. Without it: S3 ' +
        'of the region.',
      examples: ['https://s3.example.org'],
    }),
  ),
  region: Type.String({
    pattern: PATTERNS.region,
    description: 'As the store names it; `us-east-1` where it knows none.',
    examples: ['eu-central-1'],
  }),
  bucket: Type.String({
    pattern: PATTERNS.bucket,
    description: 'Name of the bucket.',
    examples: ['podcast-audio'],
  }),
  prefix: Type.Optional(
    Type.String({
      maxLength: 512,
      pattern: PATTERNS.printable,
      description: 'Folder in the bucket, which is not left; without it: the whole bucket.',
      examples: ['incoming/'],
    }),
  ),
  accessKeyId: Type.String({
    pattern: PATTERNS.accessKeyId,
    description: 'Id of the access key.',
    examples: ['AKIAIOSFODNN7EXAMPLE'],
  }),
};

export const CreateConnectionBody = Type.Object(
  {
    name,
    ...bucketFields,
    secretAccessKey: Type.String({
      pattern: PATTERNS.secretAccessKey,
      description: 'Secret of the access key. It is kept encrypted, and no answer has it.',
    }),
  },
  CLOSED,
);
export type CreateConnectionBody = Static<typeof CreateConnectionBody>;

export const ConnectionParams = Type.Object({ connectionId: pathId('con', 'The connection.') });

export const Connection = Type.Object(
  { id: Type.String(), name, ...bucketFields, createdAt: timestamp('When it was created.') },
  { $id: 'Connection' },
);
export type Connection = Static<typeof Connection>;

export const ConnectionList = Type.Object(
  { data: Type.Array(ref(Connection), { description: 'By name.' }) },
  { $id: 'ConnectionList' },
);

const ConnectionCheck = Type.Object({
  action: oneOf([...BUCKET_ACTIONS], 'What was tried.'),
  ok: Type.Boolean(),
  message: Type.Optional(
    Type.String({
      description: 'Why it failed, in the words of the store.',
      examples: ['The store answered 403 AccessDenied Access Denied.'],
    }),
  ),
});

export const ConnectionTest = Type.Object(
  {
    ok: Type.Boolean({ description: 'All four work.' }),
    checks: Type.Array(ConnectionCheck, { description: 'Of each of the four actions.' }),
  },
  { $id: 'ConnectionTest' },
);
export type ConnectionTest = Static<typeof ConnectionTest>;
