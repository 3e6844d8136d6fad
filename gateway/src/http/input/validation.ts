/**
 * Validates each part of a request against the schema in the API description.
 *
 * Nothing is coerced, defaulted or dropped, with one exception: integer query parameters are parsed from
 * text.
 */
import { type FieldViolation, NotFoundError, ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { PATTERN_MESSAGES } from '../../schemas/patterns.ts';
import { unstorableText } from '../../schemas/text.ts';
import { ApiError } from '../errors/api-error.ts';

type Validator = ReturnType<typeof Compile>;
type ValidationError = ReturnType<Validator['Errors']>[number];

/** Routes and the console's procedures share schemas. */
const validators = new WeakMap<TSchema, Validator>();

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  const integers = httpPart === 'querystring' ? integerProperties(schema) : [];
  const judge = (value: unknown) => {
    const unstorable = unstorableText(value);
    if (unstorable.length > 0) return { error: invalidParams(unstorable) };
    if (validator.Check(value)) return { value };
    if (httpPart === 'params') return { error: notFound(schema) };
    return { error: invalidParams(toViolations(validator.Errors(value), httpPart === 'querystring', value)) };
  };
  return (input: unknown) => {
    try {
      return judge(integers.length === 0 ? input : readIntegers(input, integers));
    } catch (error) {
      // Comparing items recurses, and a body of 256 KiB can be nested too deep for that.
      if (!(error instanceof RangeError)) throw error;
      return { error: invalidParams([{ field: 'body', message: 'is nested too deep' }]) };
    }
  };
};

/** 400 INVALID_PARAMS. The message repeats the first violation, for callers that read only that. */
export function invalidParams(violations: readonly FieldViolation[]): ApiError {
  const [first] = violations;
  const message = first === undefined ? 'The request is not valid.' : `${first.field}: ${first.message}`;
  return new ApiError('INVALID_PARAMS', message, { violations });
}

export function tooManyItems(field: string, limit: number): FieldViolation {
  return { field, message: `must have at most ${limit} items` };
}

/** An id of the wrong form is an unknown resource, not invalid input. */
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

/** The first violation of each field. */
function toViolations(found: ValidationError[], isQuery: boolean, value: unknown): FieldViolation[] {
  const violations = found.flatMap((error) => (isQuery ? inQuery(error, value) : inBody(error)));
  return [...Map.groupBy(violations, ({ field }) => field).values()].flatMap((each) => each.slice(0, 1));
}

function inQuery(error: ValidationError, value: unknown): FieldViolation[] {
  const field = fieldOf(error);
  if (Array.isArray(Object(value)[field])) return [{ field, message: 'must not be given more than once' }];
  if (error.keyword === 'additionalProperties') {
    return eachNamed(error.params.additionalProperties, '', 'is not a parameter of this path');
  }
  return inBody(error);
}

function inBody(error: ValidationError): FieldViolation[] {
  const field = fieldOf(error);
  switch (error.keyword) {
    case 'required':
      return eachNamed(error.params.requiredProperties, field, 'is required');
    case 'additionalProperties':
      return eachNamed(error.params.additionalProperties, field, 'is not a known field');
    // Already reported by additionalProperties.
    case 'boolean':
      return [];
    default:
      return [{ field: field === '' ? 'body' : field, message: complaintOf(error) }];
  }
}

function complaintOf(error: ValidationError): string {
  switch (error.keyword) {
    case 'type':
      return `must be ${[error.params.type].flat().map(withArticle).join(' or ')}`;
    case 'enum':
      return `must be one of ${error.params.allowedValues.join(', ')}`;
    case 'const':
      return `must be exactly ${JSON.stringify(error.params.allowedValue)}`;
    case 'format':
      return `must be ${FORMAT_NAMES[error.params.format] ?? `a valid ${error.params.format}`}`;
    case 'pattern':
      return PATTERN_MESSAGES[String(error.params.pattern)] ?? `must match ${error.params.pattern}`;
    case 'minimum':
      return `must be at least ${error.params.limit}`;
    case 'maximum':
      return `must be at most ${error.params.limit}`;
    case 'minItems':
      return error.params.limit === 1 ? 'must not be empty' : error.message;
    case 'minLength':
      return error.params.limit === 1
        ? 'must not be empty'
        : `must have at least ${error.params.limit} characters`;
    case 'maxLength':
      return `must have at most ${error.params.limit} characters`;
    case 'maxItems':
      return tooManyItems('', error.params.limit).message;
    case 'minProperties':
      return error.params.limit === 1 ? 'must not be empty' : error.message;
    case 'maxProperties':
      return `must have at most ${error.params.limit} keys`;
    default:
      return error.message;
  }
}

/**
 * Lists of a cut are written with brackets, `ranges[1].end`. Lists from before have a dot, `scopes.1`, as
 * callers know them.
 */
const LISTS_WITH_BRACKETS = /^(chapters|ranges|splitPoints)\.(\d+)/;

function fieldOf({ instancePath }: ValidationError): string {
  const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  return path.replace(LISTS_WITH_BRACKETS, '$1[$2]');
}

function eachNamed(names: readonly string[], path: string, message: string): FieldViolation[] {
  return names.map((name) => ({ field: path === '' ? name : `${path}.${name}`, message }));
}

function withArticle(type: string): string {
  return type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  'date-time': 'an ISO 8601 date and time with its offset, such as 2027-01-31T09:30:00Z',
  email: 'an email address',
};
