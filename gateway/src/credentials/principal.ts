export const SCOPES = ['splits:read', 'splits:write', 'keys:manage', 'connections:manage'] as const;
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
  /** Empty if the token names none. */
  readonly sessionId: string;
}

/** By an operator. */
export interface Suspension {
  readonly suspendedAt: string;
  /** For the account's holder. */
  readonly reason: string;
}

interface PrincipalBase {
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly requestsPerMinute: number;
  readonly maxFileSizeBytes: number;
  /** Whether the account must verify its address before it creates jobs. */
  readonly mustVerifyEmail: boolean;
  /** Undefined: not suspended. */
  readonly suspension: Suspension | undefined;
}
