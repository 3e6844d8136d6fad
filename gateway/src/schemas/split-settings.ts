import { OUTPUT_FORMATS } from '@audiosplit/proto/vocabulary';
import { type Static, Type } from 'typebox';
import { CLOSED, oneOf } from './fields.ts';
import { cutRequestFields } from './split-modes.ts';

export const outputFormat = oneOf([...OUTPUT_FORMATS], 'Format of the segments.');

/** What a request to split says besides its source: where to cut, and what becomes of the segments. */
export const SplitSettings = Type.Object(
  { ...cutRequestFields, outputFormat: Type.Optional(outputFormat) },
  { ...CLOSED, $id: 'SplitSettings' },
);
export type SplitSettings = Static<typeof SplitSettings>;
