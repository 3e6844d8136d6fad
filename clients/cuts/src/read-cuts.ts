/** Reads a cut request as the API does, for hosts that run the engine without a gateway. */
import { checkShape } from './check-shape.ts';
import type { CutRequest } from './cut-request.ts';
import { checkCutRules } from './cut-rules.ts';
import { CUT_SHAPES } from './generated/cut-fields.ts';
import { type FieldViolation, InvalidCutsError } from './invalid-cuts.ts';
import { type CutField, checkModeFields, SPLIT_MODES } from './mode-fields.ts';
import { normalizeMembers } from './normalize-cut.ts';
import { OUTPUT_FORMATS, type OutputFormat } from './output-formats.ts';

/** Positions are seconds or times as `[H:]M:SS[.mmm]`. */
type Timed<T> = T extends readonly (infer Item)[]
  ? readonly Timed<Item>[]
  : T extends object
    ? {
        [Name in keyof T]: Name extends 'start' | 'end' | 'startTime'
          ? T[Name] | string
          : Name extends 'splitPoints'
            ? [T[Name]] extends [undefined]
              ? T[Name]
              : readonly (number | string)[]
            : Timed<T[Name]>;
      }
    : T;

/**
 * The body of `POST /api/v1/splits` without the fields that concern the job: the source, the webhook and the
 * metadata.
 */
export type Cuts = Timed<CutRequest> & { readonly outputFormat?: OutputFormat };

export interface ReadCuts {
  /** Times are numbers, rounded to the millisecond. */
  readonly request: CutRequest;
  readonly outputFormat?: OutputFormat;
}

const KNOWN = Object.keys(CUT_SHAPES) as CutField[];
const SHAPE = {
  splitMode: { enum: SPLIT_MODES },
  outputFormat: { enum: OUTPUT_FORMATS },
  ...CUT_SHAPES,
};
/** Lists have up to 9,999 entries. */
const MAX_VIOLATIONS = 100;

/** Throws InvalidCutsError with the faults that the API would report for the same request, by field. */
export function readCuts(cuts: Cuts): ReadCuts {
  const body: Readonly<Record<string, unknown>> = { ...cuts };
  const shape = { properties: SHAPE, additionalProperties: false } as const;
  refuse(
    body.splitMode === undefined
      ? [{ field: 'splitMode', message: 'is required' }]
      : checkShape(body, shape, '').map(({ field, message }) => ({ field: field.slice(1), message })),
  );
  const { splitMode, outputFormat, ...given } = cuts;
  const fields: Readonly<Record<string, unknown>> = given;
  const request = { splitMode, ...normalizeMembers(fields) } as CutRequest;
  refuse([
    ...checkModeFields(splitMode, KNOWN, (field) => fields[field] !== undefined),
    ...checkCutRules(request, outputFormat),
  ]);
  return { request, ...(outputFormat === undefined ? {} : { outputFormat }) };
}

function refuse(violations: readonly FieldViolation[]): void {
  if (violations.length > 0) throw new InvalidCutsError(violations.slice(0, MAX_VIOLATIONS));
}
