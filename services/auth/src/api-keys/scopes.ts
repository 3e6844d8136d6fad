import { InvalidParamsError, ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';

export const SCOPES = ['splits:read', 'splits:write', 'keys:manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** Each scope once, in the order of SCOPES. Throws InvalidParamsError for none and for an unknown one. */
export function parseScopes(values: readonly string[]): readonly Scope[] {
  const unknown = values.find((value) => !SCOPES.some((scope) => scope === value));
  if (values.length === 0 || unknown !== undefined) {
    throw new InvalidParamsError('scopes', `give at least one of ${SCOPES.join(', ')}, and nothing else.`);
  }
  return SCOPES.filter((scope) => values.includes(scope));
}

/** Throws INSUFFICIENT_SCOPE unless the caller has each of the scopes itself. */
export function checkMayGrant(callerScopes: readonly string[], granted: readonly string[]): void {
  const missing = granted.filter((scope) => !callerScopes.includes(scope));
  if (missing.length > 0) {
    throw new ServiceError(
      Reason.INSUFFICIENT_SCOPE,
      `A key cannot grant scopes that it lacks: ${missing.join(', ')}. Use a credential that has them.`,
      { acceptedScopes: missing },
    );
  }
}
