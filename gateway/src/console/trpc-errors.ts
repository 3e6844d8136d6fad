/** Turns errors of procedures into the page's form, and logs internal ones. */
import type { Logger } from '@audiosplit/chassis/process/log';
import { runInTrace } from '@audiosplit/chassis/trace';
import type { TRPCError } from '@trpc/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errorHeaders, toApiError } from '../http/errors/api-error.ts';
import { toErrorShape, toTrpcError } from './trpc.ts';

/** Handles errors that occur before a procedure runs. */
export function addTrpcErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = toApiError(thrown);
    reportFault(log, request, thrown);
    reply
      .code(error.status)
      .headers(errorHeaders(error))
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send({ error: toErrorShape(toTrpcError(error)) });
  });
}

/** The headers of the first error, which say when to retry. */
export function headersOf([error]: readonly TRPCError[]): Record<string, string> {
  return error === undefined ? {} : errorHeaders(toApiError(error.cause ?? error));
}

export function reportFault(log: Logger, request: FastifyRequest, thrown: unknown): void {
  const error = toApiError(thrown);
  if (error.status < 500 || error.details.isLogged === true) return;
  const level = error.code === 'INTERNAL_ERROR' ? 'error' : 'warn';
  runInTrace(request.trace, () => log[level]({ err: error.details.cause ?? error }, error.code));
}
