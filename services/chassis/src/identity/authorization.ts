/**
 * Interceptors that sign outgoing calls and verify incoming ones, and functions by which a handler reads its
 * caller.
 */
import { accessTo } from '@audiosplit/proto/callers';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { Health } from '@audiosplit/proto/grpc/health/v1/health';
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Interceptor,
} from '@connectrpc/connect';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { FORMER_HEADER, signAsFormer, verifyFormer } from './former-identity.ts';
import type { ActingAccount, Identity } from './identity.ts';
import type { IdentityKeys } from './keys.ts';
import { createSigner, createVerifier } from './tokens.ts';

const HEADER = 'authorization';
const SCHEME = 'Bearer ';
const actingAccount = createContextKey<ActingAccount | undefined>(undefined, {
  description: 'acting account',
});
const callerIdentity = createContextKey<Identity | undefined>(undefined, { description: 'caller' });

/** Call options for acting on behalf of an account. They may be reused for later calls. */
export interface ForAccount {
  readonly contextValues: ContextValues;
}

export function actingFor(account: ActingAccount): ForAccount {
  return { contextValues: createContextValues().set(actingAccount, account) };
}

export function createSigningInterceptor(keys: IdentityKeys, clock: Clock): Interceptor {
  const sign = createSigner(keys, clock);
  const { process, formerSecret } = keys;
  return (next) => async (request) => {
    const account = request.contextValues.get(actingAccount);
    request.header.set(HEADER, `${SCHEME}${sign(request.method, account)}`);
    if (formerSecret !== undefined)
      request.header.set(FORMER_HEADER, signAsFormer(formerSecret, { process, account }, clock));
    return next(request);
  };
}

/**
 * Refuses calls without a valid token and callers that proto/callers.ts does not list. Health is open to all.
 */
export function createAdmissionInterceptor(
  { publicKeys, formerSecret }: IdentityKeys,
  clock: Clock,
): Interceptor {
  const verify = createVerifier(publicKeys, clock);
  const identify = ({ method, header }: Parameters<ReturnType<Interceptor>>[0]) => {
    const given = header.get(HEADER);
    if (given !== null)
      return given.startsWith(SCHEME) ? verify(method, given.slice(SCHEME.length)) : undefined;
    const former = header.get(FORMER_HEADER);
    return former === null || formerSecret === undefined
      ? undefined
      : verifyFormer(formerSecret, method, former, clock);
  };
  return (next) => async (request) => {
    const { method, contextValues } = request;
    if (method.parent.typeName === Health.typeName) return next(request);
    const identity = identify(request);
    if (identity === undefined) throw new ConnectError('a valid identity is required', Code.Unauthenticated);
    const access = accessTo(method);
    const isAllowed =
      access?.by.includes(identity.process) &&
      access.as === (identity.account === undefined ? 'process' : 'account');
    if (isAllowed !== true) {
      const name = identity.account === undefined ? identity.process : `${identity.process} for an account`;
      throw new ServiceError(
        Reason.UNAUTHORIZED,
        `${method.parent.typeName}/${method.name} is not for ${name}.`,
      );
    }
    contextValues.set(callerIdentity, identity);
    return next(request);
  };
}

/**
 * The account on whose behalf the method is called; the table of callers allows such methods for accounts
 * only.
 */
export function requireAccount(context: HandlerContext): ActingAccount {
  const account = context.values.get(callerIdentity)?.account;
  if (account === undefined) throw new Error(`${context.method.name} is not called for an account`);
  return account;
}
