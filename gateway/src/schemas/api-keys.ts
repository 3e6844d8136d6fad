import { type Static, Type } from 'typebox';
import { SCOPES } from '../credentials/principal.ts';
import { CLOSED, displayName, nullableTimestamp, oneOf, pathId, timestamp } from './fields.ts';
import { Pagination } from './pagination.ts';
import { ref } from './ref.ts';

const scope = oneOf([...SCOPES], 'Something that a key allows.');
const scopes = Type.Array(scope, { minItems: 1, uniqueItems: true, description: 'What the key allows.' });
const name = displayName('What people call the key.');
const expiry = nullableTimestamp('When the key stops working; null for never.');

const MAX_GRACE_SECONDS = 7 * 24 * 3600;

export const ApiKeyParams = Type.Object({ keyId: pathId('key', 'The key.') });

export const CreateApiKeyBody = Type.Object(
  { name, scopes: Type.Optional(scopes), expiresAt: Type.Optional(expiry) },
  CLOSED,
);

export const UpdateApiKeyBody = Type.Object(
  { name: Type.Optional(name), scopes: Type.Optional(scopes), expiresAt: Type.Optional(expiry) },
  CLOSED,
);

export const RotateApiKeyBody = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_GRACE_SECONDS,
        default: 0,
        description: 'How long the old secret goes on working.',
      }),
    ),
  },
  CLOSED,
);

export const CreatedApiKey = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    key: Type.String({ description: 'The secret. It is shown here and never again.' }),
    scopes: Type.Array(Type.String()),
    createdAt: timestamp('When the key was made.'),
    expiresAt: expiry,
  },
  { $id: 'CreatedApiKey' },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const ApiKey = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    keyPreview: Type.String({ description: 'Beginning and end of the secret.' }),
    scopes: Type.Array(Type.String()),
    lastUsedAt: nullableTimestamp('Last use, to the minute; null before the first.'),
    createdAt: timestamp('When the key was made.'),
    expiresAt: expiry,
    updatedAt: timestamp('When the key last changed.'),
  },
  { $id: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyList = Type.Object(
  { data: Type.Array(ref(ApiKey)), pagination: ref(Pagination) },
  { $id: 'ApiKeyList' },
);
