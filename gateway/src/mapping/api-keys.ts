import type { ApiKey as ProtoApiKey } from '@audiosplit/proto/auth/v1/auth';
import type { ApiKey, CreatedApiKey } from '../schemas/api-keys.ts';
import { present, toIsoTime, toIsoTimeOrNull } from './messages.ts';

export function fromProtoApiKey(apiKey: ProtoApiKey | undefined): ApiKey {
  const key = present(apiKey, 'an API key');
  return {
    id: key.id,
    name: key.name,
    keyPreview: key.keyPreview,
    scopes: key.scopes,
    lastUsedAt: toIsoTimeOrNull(key.lastUsedAt),
    createdAt: toIsoTime(key.createdAt),
    expiresAt: toIsoTimeOrNull(key.expiresAt),
    updatedAt: toIsoTime(key.updatedAt ?? key.createdAt),
  };
}

/** For responses that carry the secret. */
export function fromProtoCreatedApiKey(answer: {
  readonly apiKey?: ProtoApiKey | undefined;
  readonly secret: string;
}): CreatedApiKey {
  const key = present(answer.apiKey, 'an API key');
  return {
    id: key.id,
    name: key.name,
    key: answer.secret,
    scopes: key.scopes,
    createdAt: toIsoTime(key.createdAt),
    expiresAt: toIsoTimeOrNull(key.expiresAt),
  };
}
