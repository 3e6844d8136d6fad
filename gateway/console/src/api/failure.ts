import type { ErrorEnvelope } from '@audiosplit/gateway/http/errors/api-error';
import { TRPCClientError } from '@trpc/client';
import { SessionOverError } from './session-over.ts';

/** An error as shown to the user. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly fields: ReadonlyMap<string, string>;
  /** Of a call beyond the rate of the plan. */
  readonly retryAfterSeconds?: number;
}

/** Errors that a retry may solve. */
const TEMPORARY: readonly string[] = [
  'UNREACHABLE',
  'RATE_LIMITED',
  'QUEUE_FULL',
  'TOO_MANY_STREAMS',
  'UPLOAD_LIMIT_REACHED',
  'UPLOAD_NOT_FOUND',
  'UPLOAD_TIMEOUT',
  'IDEMPOTENCY_IN_PROGRESS',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
];

export function mayPass({ code }: Failure): boolean {
  return TEMPORARY.includes(code);
}

/** Whether a larger plan would help. */
export function isOfPlan({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'QUOTA_EXCEEDED' || code === 'FILE_TOO_LARGE';
}

/** What the account holder can put right on the page for billing. */
export function isOfMoney({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'SPEND_LIMIT_REACHED' || code === 'INVOICE_UNPAID';
}

/** Of something that the page has tried without the service. */
export class ShownError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ShownError) return { code: error.code, message: error.message, fields: new Map() };
  if (error instanceof TRPCClientError) {
    const envelope = (error.data as { readonly api?: ErrorEnvelope['error'] } | null | undefined)?.api;
    if (envelope !== undefined) {
      const { details = [], retryAfter } = envelope;
      return {
        code: envelope.code,
        message: withWait(envelope.message, retryAfter),
        ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
        fields: new Map(details.map(({ field, message }) => [field, `This ${message.replace(/\.$/, '')}.`])),
      };
    }
  }
  if (isSessionOver(error)) {
    return {
      code: 'UNAUTHORIZED',
      message: 'The session has ended, and nothing was sent. Sign in again.',
      fields: new Map(),
    };
  }
  return {
    code: 'UNREACHABLE',
    message: 'The service cannot be reached at the moment. Check your connection and try again.',
    fields: new Map(),
  };
}

/** Also recognises the form in which the client's links pass it on. */
export function isSessionOver(error: unknown): boolean {
  return (error instanceof TRPCClientError ? error.cause : error) instanceof SessionOverError;
}

function withWait(message: string, retryAfter: number | undefined): string {
  return retryAfter === undefined ? message : `${message} Try again in ${retryAfter} s.`;
}
