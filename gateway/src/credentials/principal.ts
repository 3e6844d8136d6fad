export const SCOPES = ['splits:read', 'splits:write', 'keys:manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** The verified caller, by one of two kinds of credential. */
export type Principal = ApiKeyPrincipal | AccountPrincipal;

export interface ApiKeyPrincipal extends PrincipalBase {
  readonly kind: 'apiKey';
  readonly keyId: string;
}

export interface AccountPrincipal extends PrincipalBase {
  readonly kind: 'account';
  /** The account is in its grace period before deletion. */
  readonly pendingDeletion: boolean;
  /** Empty: the token names none. */
  readonly sessionId: string;
}

interface PrincipalBase {
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly requestsPerMinute: number;
  readonly maxFileSizeBytes: number;
  /** The account creates no jobs before its address is verified. */
  readonly mustVerifyEmail: boolean;
}
