import type { FastifyContextConfig, FastifySchema } from 'fastify';
import type { RouteBound } from '../../bounds/route-bounds.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { Access } from './access.ts';

/** Options of one API route: access, schema and its own error codes. */
export function endpoint<const S extends FastifySchema>(options: {
  readonly access: Access;
  readonly schema: S;
  readonly errors?: readonly ErrorCode[];
  readonly changesLimits?: boolean;
  readonly whileSuspended?: boolean;
  readonly bounds?: readonly RouteBound[];
  readonly documentedHeaders?: Readonly<Record<string, unknown>>;
  readonly requiredHeaders?: readonly string[];
}): { readonly schema: S; readonly config: FastifyContextConfig } {
  const { schema, errors = [], changesLimits = false, bounds = [], ...rest } = options;
  return { schema, config: { ...rest, errors, changesLimits, bounds } };
}
