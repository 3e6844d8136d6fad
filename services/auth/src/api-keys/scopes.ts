import { InvalidParamsError, ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';

export const SCOPES = ['splits:read', 'splits:write', 'keys:manage', 'connections:manage'] as const;
/** The scopes of a key that is created without any. */
export const DEFAULT_SCOPES: readonly Scope[] = ['splits:read', 'splits:write', 'keys:manage'];
export type Scope = (typeof SCOPES)[number];

/**
 * Each scope once, in the order of SCOPES. Throws InvalidParamsError for an empty list and for an unknown
 * scope.
 */
export function parseScopes(values: readonly string[]): readonly Scope[] {
  const unknown = values.find((value) => !SCOPES.some((scope) => scope === value));
  if (values.length === 0 || unknown !== undefined) {
    throw new InvalidParamsError('scopes', `give at least one of ${SCOPES.join(', ')}, and nothing else.`);
  }
  return SCOPES.filter((scope) => values.includes(scope));
}

/** Throws INSUFFICIENT_SCOPE unless the caller itself has each of the scopes. */
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
