/** The base of all procedures of the console's back end. */
import { initTRPC, TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { refuseSuspended } from '../credentials/suspension.ts';
import { authorize } from '../http/admission/admission.ts';
import { type ApiError, type ErrorEnvelope, toApiError, toEnvelope } from '../http/errors/api-error.ts';
import { validatorCompiler } from '../http/input/validation.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import type { RouteDependencies } from '../routes/route-dependencies.ts';
import type { RenewSession } from './renewals.ts';

export interface ConsoleContext {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly routes: RouteDependencies;
  readonly renewSession: RenewSession;
}

/**
 * The page must report a lost server within 5 s, even if the connection just stops sending. It reopens the
 * stream after two missed pings. That leaves a second for another request, and another for a busy browser.
 */
const PING_EVERY_MS = 1_200;
const REOPEN_AFTER_SILENCE_MS = 2_900;

const t = initTRPC.context<ConsoleContext>().create({
  isDev: false,
  sse: {
    ping: { enabled: true, intervalMs: PING_EVERY_MS },
    client: { reconnectAfterInactivityMs: REOPEN_AFTER_SILENCE_MS },
  },
  /** Adds the API's error envelope to tRPC's own shape. */
  errorFormatter: ({ error }) => toErrorShape(error),
});

export const { router } = t;

/** Turns errors of services into errors of the API. */
export const openProcedure = t.procedure.use(async ({ next }) => asApiError(await next()));

/** For a signed-in account, also while its deletion is pending. */
export const procedureWhilePending = openProcedure.use(({ ctx, next }) => {
  const principal = principalOf(ctx.request);
  const { services } = ctx.routes;
  return next({ ctx: { principal, services, asCaller: services.actingFor(principal) } });
});

/** For a signed-in account whose deletion is not pending. */
export const SESSION: Access = { kind: 'session', reads: true };

/** Also for a suspended account. */
export const procedureWhileSuspended = procedureWhilePending.use(({ ctx, next }) => {
  authorize(ctx.principal, SESSION);
  return next();
});

/** A suspended account may only read. */
export const procedure = procedureWhileSuspended.use(({ ctx, next, type }) => {
  if (type === 'mutation') refuseSuspended(ctx.principal);
  return next();
});

/** Validates input against the schema of the corresponding API route. */
export function input<S extends TSchema>(schema: S): (value: unknown) => Static<S> {
  const validate = validatorCompiler({ schema, method: '', url: '', httpPart: 'body' });
  return (value) => {
    const verdict = validate(value ?? {});
    if (typeof verdict === 'object' && 'error' in verdict && verdict.error !== undefined) throw verdict.error;
    return value as Static<S>;
  };
}

type Outcome = { readonly ok: true } | { readonly ok: false; readonly error: TRPCError };

/** Throws the API's error if the procedure failed. */
export function asApiError<O extends Outcome>(outcome: O): O {
  if (outcome.ok || outcome.error.cause === undefined) return outcome;
  throw toTrpcError(toApiError(outcome.error.cause));
}

export function toTrpcError(error: ApiError): TRPCError {
  return new TRPCError({ code: trpcCodeOf(error.status), message: error.message, cause: error });
}

export function toErrorShape({ code, message, cause }: TRPCError) {
  const api: ErrorEnvelope['error'] | undefined =
    cause === undefined ? undefined : toEnvelope(toApiError(cause)).error;
  return { code: TRPC_ERROR_CODES_BY_KEY[code], message, data: { code, api } };
}

function trpcCodeOf(status: number): TRPCError['code'] {
  return CODES[status] ?? (status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR');
}

const CODES: Readonly<Record<number, TRPCError['code']>> = {
  401: 'UNAUTHORIZED',
  402: 'PAYMENT_REQUIRED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  501: 'NOT_IMPLEMENTED',
  503: 'SERVICE_UNAVAILABLE',
};
