import { Type } from 'typebox';
import { PATTERNS } from './patterns.ts';

/** Schemas of fields that several resources share. */

export const timestamp = (description: string, example?: string) =>
  Type.String({
    format: 'date-time',
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  });

export const nullableTimestamp = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

export const oneOf = <const T extends string[]>(values: [...T], description: string) =>
  Type.Enum(values, { type: 'string', description });

/** Money in minor units (one hundredth). */
export const minorUnits = (description: string) =>
  Type.Integer({ description: `${description}, in minor units of the currency.` });

export const currency = Type.String({ description: 'Currency code in lower case.', examples: ['usd'] });

/** A name given by a person. Control characters would garble logs and file listings. */
export const displayName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, pattern: PATTERNS.printable, description });

export const nullableName = (description: string, maxLength: number) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    minLength: 1,
    maxLength,
    pattern: PATTERNS.printable,
    description,
  });

export const WEBHOOK_EXAMPLE = 'https://example.com/hooks/audio';

export const webUrl = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 2048,
    pattern: PATTERNS.webUrl,
    description,
    examples: [example],
  });

/** Bodies and queries accept no other members. */
export const CLOSED = { additionalProperties: false } as const;

export const PATH_ID = '^[0-9A-Za-z_-]{1,64}$';

/** An id of the wrong form is an unknown resource: 404. */
export const pathId = (prefix: string, description: string) =>
  Type.String({
    pattern: PATH_ID,
    description,
    examples: [`${prefix}_01jq8z5c7mexample0000000000`],
  });
