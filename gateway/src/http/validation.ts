/**
 * Checks each part of a request against the very schema that the API description shows.
 *
 * Nothing is coerced, defaulted or dropped but for one thing: query parameters come as text, so those that
 * the schema calls an integer are read as one when they are written as one.
 */
import { type FieldViolation, NotFoundError, ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { ApiError } from './api-error.ts';

type ValidationError = ReturnType<ReturnType<typeof Compile>['Errors']>[number];

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema);
  const integers = httpPart === 'querystring' ? integerProperties(schema) : [];
  return (input: unknown) => {
    const value = integers.length === 0 ? input : readIntegers(input, integers);
    if (validator.Check(value)) return { value };
    if (httpPart === 'params') return { error: notFound(schema) };
    return { error: invalidParams(validator.Errors(value).flatMap(toViolations)) };
  };
};

/** 400 INVALID_PARAMS; its message repeats the first violation, for callers that read nothing else. */
export function invalidParams(violations: readonly FieldViolation[]): ApiError {
  const [first] = violations;
  const message = first === undefined ? 'The request is not valid.' : `${first.field}: ${first.message}`;
  return new ApiError('INVALID_PARAMS', message, { violations });
}

/** An id that no resource can have names nothing, which is no fault of its form. */
function notFound(params: TSchema): ServiceError {
  const reason = 'notFoundReason' in params ? params.notFoundReason : undefined;
  return reason === Reason.JOB_NOT_FOUND
    ? new ServiceError(Reason.JOB_NOT_FOUND, 'This job does not exist.')
    : new NotFoundError('What this path names');
}

function integerProperties(schema: TSchema): string[] {
  const properties = 'properties' in schema ? Object.entries<unknown>(Object(schema.properties)) : [];
  return properties.filter(([, property]) => Object(property).type === 'integer').map(([name]) => name);
}

function readIntegers(query: unknown, names: readonly string[]): Record<string, unknown> {
  const read: Record<string, unknown> = { ...Object(query) };
  for (const name of names) {
    const value = read[name];
    if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) read[name] = Number(value);
  }
  return read;
}

function toViolations(error: ValidationError): FieldViolation[] {
  const field = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        field: join(field, name),
        message: 'is required',
      }));
    case 'additionalProperties':
      return error.params.additionalProperties.map((name) => ({
        field: join(field, name),
        message: 'is not a known field',
      }));
    // Said by additionalProperties already.
    case 'boolean':
      return [];
    case 'enum':
      return [{ field, message: `must be one of ${error.params.allowedValues.join(', ')}` }];
    case 'const':
      return [{ field, message: `must be exactly ${JSON.stringify(error.params.allowedValue)}` }];
    case 'format':
      return [
        {
          field,
          message: `must be ${FORMAT_NAMES[error.params.format] ?? `a valid ${error.params.format}`}`,
        },
      ];
    case 'pattern':
      return [{ field, message: `must match ${error.params.pattern}` }];
    default:
      return [{ field: field === '' ? 'body' : field, message: error.message }];
  }
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  'date-time': 'an ISO 8601 date and time with its offset, such as 2027-01-31T09:30:00Z',
  email: 'an email address',
};

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
