export const SCOPES = ['splits:read', 'splits:write', 'keys:manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who calls, as one of the two credential kinds has proved. */
export type Principal = ApiKeyPrincipal | AccountPrincipal;

export interface ApiKeyPrincipal extends PrincipalBase {
  readonly kind: 'apiKey';
  readonly keyId: string;
}

export interface AccountPrincipal extends PrincipalBase {
  readonly kind: 'account';
  /** The account asked to be deleted and is within its grace. */
  readonly pendingDeletion: boolean;
}

interface PrincipalBase {
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly requestsPerMinute: number;
  readonly maxFileSizeBytes: number;
}
