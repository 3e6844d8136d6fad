/** Checks a value against its shape, which uses the keywords of JSON Schema in the fields of a cut. */
import { PATTERN_MESSAGES } from './generated/cut-fields.ts';
import type { FieldViolation } from './invalid-cuts.ts';
import type { Shape, TypeName } from './shape.ts';

/** `path` is the value's path. Undefined counts as absent. */
export function checkShape(value: unknown, shape: Shape, path: string): FieldViolation[] {
  const types = [shape.type ?? []].flat() as TypeName[];
  if (types.length > 0 && !types.some((type) => isOf(type, value))) {
    return [{ field: path, message: `must be ${types.map(withArticle).join(' or ')}` }];
  }
  if (shape.enum !== undefined && !shape.enum.includes(value)) {
    return [{ field: path, message: `must be ${shape.enum.join(' or ')}` }];
  }
  if (typeof value === 'number') return checkNumber(value, shape, path);
  if (typeof value === 'string') return checkText(value, shape, path);
  if (Array.isArray(value)) return checkList(value, shape, path);
  if (typeof value === 'object' && value !== null) return checkMembers({ ...value }, shape, path);
  return [];
}

function checkNumber(value: number, { minimum, maximum }: Shape, field: string): FieldViolation[] {
  if (minimum !== undefined && value < minimum) return [{ field, message: `must be at least ${minimum}` }];
  if (maximum !== undefined && value > maximum) return [{ field, message: `must be at most ${maximum}` }];
  return [];
}

function checkText(value: string, { minLength, maxLength, pattern }: Shape, field: string): FieldViolation[] {
  const { length } = [...value];
  if (minLength !== undefined && length < minLength) return [{ field, message: 'must not be empty' }];
  if (maxLength !== undefined && length > maxLength)
    return [{ field, message: `must have at most ${maxLength} characters` }];
  if (pattern === undefined || new RegExp(pattern, 'u').test(value)) return [];
  return [{ field, message: PATTERN_MESSAGES[pattern] ?? `must match ${pattern}` }];
}

function checkList(
  value: readonly unknown[],
  { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items = {} }: Shape,
  field: string,
): FieldViolation[] {
  if (value.length < minItems) return [{ field, message: `must have at least ${minItems} items` }];
  if (value.length > maxItems) return [{ field, message: `must have at most ${maxItems} items` }];
  return value.flatMap((each, index) => checkShape(each, items, `${field}[${index}]`));
}

function checkMembers(
  value: Readonly<Record<string, unknown>>,
  shape: Shape,
  path: string,
): FieldViolation[] {
  const { properties = {}, required = [], additionalProperties = true } = shape;
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = shape;
  if (given.length < minProperties) return [{ field: path, message: 'must have at least one field' }];
  if (given.length > maxProperties)
    return [{ field: path, message: `must have at most ${maxProperties} fields` }];
  return [
    ...required
      .filter((name) => value[name] === undefined)
      .map((name) => ({ field: `${path}.${name}`, message: 'is required' })),
    ...given.flatMap(([name, member]) => {
      const own = properties[name] ?? additionalProperties;
      if (own === false) return [{ field: `${path}.${name}`, message: 'is not known' }];
      return own === true ? [] : checkShape(member, own, `${path}.${name}`);
    }),
  ];
}

function isOf(type: TypeName, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return type satisfies never;
  }
}

function withArticle(type: TypeName): string {
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}
