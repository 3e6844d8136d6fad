import { newApiKeySecret } from '@audiosplit/gateway/testing/credentials';

/** A well-formed key that was never issued: only auth knows that. */
export function newUnknownApiKey(): string {
  return newApiKeySecret();
}
