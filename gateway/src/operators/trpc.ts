/** The base of all procedures of the operators' console. */
import { ServiceError } from '@audiosplit/chassis/errors';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { BillingOperatorService } from '@audiosplit/proto/billing/v1/operators';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { JobsOperatorService } from '@audiosplit/proto/jobs/v1/operators';
import type { Client } from '@connectrpc/connect';
import { initTRPC } from '@trpc/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asApiError, toErrorShape } from '../console/trpc.ts';
import { toApiError } from '../http/errors/api-error.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import type { Link } from './config.ts';
import type { OperatorSessions } from './sessions.ts';
import type { SharedBus } from './shared-bus.ts';

export interface OperatorsContext {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Whether the browser came by https. */
  readonly isHttps: boolean;
  readonly sessions: OperatorSessions;
  readonly jobs: Client<typeof JobsOperatorService>;
  readonly billing: Client<typeof BillingOperatorService>;
  readonly bus: SharedBus;
  readonly signIns: RateLimiter;
  readonly links: readonly Link[];
  readonly audit: Audit;
  /** Where mails are written. Undefined: they are sent, or written elsewhere. */
  readonly mailDir: string | undefined;
}

/** Writes the audit log: who did what, or tried to. */
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
      outcome: outcome.ok ? 'done' : toApiError(outcome.error.cause ?? outcome.error).code,
    });
  }
  return outcome;
});
