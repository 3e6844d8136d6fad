import type { FastifyContextConfig, FastifySchema } from 'fastify';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { Access } from './access.ts';

/** Options of one API route: access, schema and its own error codes. */
export function endpoint<const S extends FastifySchema>(options: {
  readonly access: Access;
  readonly schema: S;
  readonly errors?: readonly ErrorCode[];
  readonly changesLimits?: boolean;
}): { readonly schema: S; readonly config: FastifyContextConfig } {
  const { access, schema, errors = [], changesLimits = false } = options;
  return { schema, config: { access, errors, changesLimits } };
}
