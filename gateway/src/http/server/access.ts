import type { Trace } from '@audiosplit/chassis/trace';
import type { Principal, Scope } from '../../credentials/principal.ts';
import type { ErrorCode } from '../errors/error-codes.ts';

/** Who may call a route of the API. */
export type Access =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'account'; readonly whilePendingDeletion?: boolean }
  | { readonly kind: 'apiKey'; readonly scope: Scope }
  | { readonly kind: 'accountOrApiKey'; readonly scope: Scope }
  /** An API key with any scope, as a bearer token: the calls it results in check their own scopes. */
  | { readonly kind: 'bearerKey' }
  /** A session of the console. `reads` have their own bucket. */
  | { readonly kind: 'session'; readonly reads: boolean; readonly whilePendingDeletion?: boolean };

export const ANYONE: Access = { kind: 'anyone' };
export const ACCOUNT: Access = { kind: 'account' };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent outside of /api/v1 and the console's procedures; such routes need no credential. */
    readonly access?: Access;
    /** Error codes besides those that its access and schema imply. */
    readonly errors?: readonly ErrorCode[];
    /** A successful call may change the account's limits or status, which must apply to the next request. */
    readonly changesLimits?: boolean;
    /** A suspended account may call it too. Routes that only read or delete need not say so. */
    readonly whileSuspended?: boolean;
    /** The path in the API description, if it differs from the router's pattern. */
    readonly documentedAs?: string;
    /** Headers of the request for the API description. The route itself validates them. */
    readonly documentedHeaders?: Readonly<Record<string, unknown>>;
    readonly requiredHeaders?: readonly string[];
  }
  interface FastifyRequest {
    trace: Trace;
    /** Set by admission if the route demands a credential. */
    principal: Principal | undefined;
  }
}

export function principalOf(request: { readonly principal: Principal | undefined }): Principal {
  if (request.principal === undefined)
    throw new Error('this route has no access rule, so it has no principal');
  return request.principal;
}
