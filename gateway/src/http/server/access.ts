import type { Trace } from '@audiosplit/chassis/trace';
import type { Principal, Scope } from '../../credentials/principal.ts';
import type { ErrorCode } from '../errors/error-codes.ts';

/** Who may call a route of the API. */
export type Access =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'account'; readonly whilePendingDeletion?: boolean }
  | { readonly kind: 'apiKey'; readonly scope: Scope }
  | { readonly kind: 'accountOrApiKey'; readonly scope: Scope }
  /** Somebody signed in at the console; `reads` have a bucket of their own. */
  | { readonly kind: 'session'; readonly reads: boolean; readonly whilePendingDeletion?: boolean };

export const ANYONE: Access = { kind: 'anyone' };
export const ACCOUNT: Access = { kind: 'account' };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent outside of /api/v1: such routes take no credential and count against no limit. */
    readonly access?: Access;
    /** Codes that this route answers besides those that its access and schema imply. */
    readonly errors?: readonly ErrorCode[];
    /** A call that goes well may change what the account may do, its limits or all of it, and the next one is to meet that. */
    readonly changesLimits?: boolean;
    /** How the path reads in the API description, where the router's form says too little. */
    readonly documentedAs?: string;
  }
  interface FastifyRequest {
    trace: Trace;
    /** Set by admission on every route that demands a credential. */
    principal: Principal | undefined;
  }
}

/** The caller that admission has let in. */
export function principalOf(request: { readonly principal: Principal | undefined }): Principal {
  if (request.principal === undefined) throw new Error('a route without access asks who calls it');
  return request.principal;
}
