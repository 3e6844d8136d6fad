/** The base of all procedures of the operators' console. */
import { ServiceError } from '@audiosplit/chassis/errors';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { AuthOperatorService } from '@audiosplit/proto/auth/v1/operators';
import type { BillingOperatorService } from '@audiosplit/proto/billing/v1/operators';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { JobsOperatorService } from '@audiosplit/proto/jobs/v1/operators';
import type { Client } from '@connectrpc/connect';
import { initTRPC, type TRPCError } from '@trpc/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import { asApiError, input, toErrorShape } from '../console/trpc.ts';
import { toApiError } from '../http/errors/api-error.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import { PATTERNS } from '../schemas/patterns.ts';
import type { Link } from './config.ts';
import type { OperatorSessions } from './sessions.ts';
import type { SharedBus } from './shared-bus.ts';

export interface OperatorsContext {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Whether the browser came by https. */
  readonly isHttps: boolean;
  readonly sessions: OperatorSessions;
  readonly auth: Client<typeof AuthOperatorService>;
  readonly jobs: Client<typeof JobsOperatorService>;
  readonly billing: Client<typeof BillingOperatorService>;
  readonly bus: SharedBus;
  readonly signIns: RateLimiter;
  readonly links: readonly Link[];
  readonly audit: Audit;
  /** The folder in which mails are written. Undefined: they are sent, or written elsewhere. */
  readonly mailDir: string | undefined;
}

/** Writes the audit log: which operator did, or tried to do, what. */
type Audit = (entry: {
  readonly operator: string;
  readonly action: string;
  readonly input?: unknown;
  /** `done`, or the code of the error. */
  readonly outcome: string;
}) => void;

/** Audit lines ignore the log level. */
export function createAudit(log: Logger): Audit {
  const lines = log.child({ audit: true }, { level: 'info' });
  return (entry) => lines.info(entry, `${entry.operator}: ${entry.action}`);
}

const t = initTRPC.context<OperatorsContext>().create({
  isDev: false,
  errorFormatter: ({ error }) => toErrorShape(error),
});

export const { router } = t;

export const openProcedure = t.procedure.use(async ({ next }) => asApiError(await next()));

/** For a signed-in operator. Every mutation writes an audit line, also if it fails. */
export const procedure = openProcedure.use(async ({ ctx, next, path, type, getRawInput }) => {
  const session = ctx.sessions.read(ctx.request.headers.cookie, ctx.isHttps);
  if (session === undefined) throw new ServiceError(Reason.UNAUTHORIZED, 'Sign in first.');
  const outcome = await next({ ctx: { session } });
  if (type === 'mutation') {
    ctx.audit({
      operator: session.operator,
      action: path,
      input: await getRawInput(),
      outcome: outcomeOf(outcome),
    });
  }
  return outcome;
});

/** Why an operator does something. */
export const ActReason = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: PATTERNS.printable,
  description: 'Why.',
});

/**
 * For changes by operators: each is recorded with its reason before it is executed, and with its outcome
 * afterwards. A change that cannot be recorded is not executed.
 */
export const act = <S extends TSchema>(schema: S) =>
  procedure.input(input(schema)).use(async ({ ctx, next, path, input }) => {
    const { reason, accountId = '' } = input as { readonly reason: string; readonly accountId?: string };
    const { actId } = await ctx.billing.beginAct({
      operator: ctx.session.operator,
      action: path,
      reason,
      inputJson: JSON.stringify(input),
      accountId,
    });
    const outcome = await next();
    // If this fails, the log shows the outcome as unknown; the audit line has it.
    await ctx.billing.endAct({ actId, outcome: outcomeOf(outcome) }).catch(() => undefined);
    return outcome;
  });

type Outcome = { readonly ok: true } | { readonly ok: false; readonly error: TRPCError };

function outcomeOf(outcome: Outcome): string {
  return outcome.ok ? 'done' : toApiError(outcome.error.cause ?? outcome.error).code;
}
