/** Requests of every mode with any options, as the API accepts them. */
import fc from 'fast-check';
import type { CutRequest } from '../cut-request.ts';
import { checkCutRules } from '../cut-rules.ts';
import { type CutField, takesField } from '../mode-fields.ts';

export interface RequestBounds {
  /** Positions lie up to here. */
  readonly seconds: number;
  /** The highest ceiling of bytes. */
  readonly bytes: number;
}

/** To the millisecond, as requests are normalised. */
export function seconds(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min: Math.round(min * 1000), max: Math.round(max * 1000) }).map((ms) => ms / 1000);
}

export const snapToSilence = fc.record({ window: seconds(0.1, 60) });

export function anyRequest(bounds: RequestBounds): fc.Arbitrary<CutRequest> {
  return fc
    .tuple(anyMode(bounds), anyOptions(bounds))
    .map(([mode, options]) => {
      const taken = Object.entries(options).filter(([name]) => takesField(mode.splitMode, name as CutField));
      return { ...Object.fromEntries(taken), ...mode };
    })
    .filter((request) => checkCutRules(request, undefined).length === 0);
}

function anyMode({ seconds: most, bytes }: RequestBounds): fc.Arbitrary<CutRequest> {
  const title = fc.constantFrom('One', '');
  return fc.oneof(
    fc.record({
      splitMode: fc.constant('duration' as const),
      segmentDuration: fc.integer({ min: 1, max: Math.ceil(most / 5) }),
    }),
    fc.record({
      splitMode: fc.constant('fileSize' as const),
      maxFileSize: fc.integer({ min: 65_536, max: bytes }),
    }),
    fc.record({ splitMode: fc.constant('parts' as const), parts: fc.integer({ min: 2, max: 40 }) }),
    fc.record(
      {
        splitMode: fc.constant('silence' as const),
        silence: fc.record(
          { minSilence: seconds(0.1, 1), minDuration: seconds(0, 3), keepSilence: seconds(0, 10) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['splitMode'] },
    ),
    fc.record(
      {
        splitMode: fc.constant('chapters' as const),
        chapters: fc
          .array(fc.record({ startTime: seconds(0, most), title }), { minLength: 1, maxLength: 10 })
          .map((chapters) => chapters.sort((one, other) => one.startTime - other.startTime)),
      },
      { requiredKeys: ['splitMode'] },
    ),
    fc.record({
      splitMode: fc.constant('ranges' as const),
      ranges: fc.array(
        fc
          .tuple(seconds(0, most), seconds(0.1, most), fc.boolean(), title)
          .map(([start, length, isOpen, name]) => ({
            start,
            ...(isOpen ? { title: name } : { end: Math.round((start + length) * 1000) / 1000 }),
          })),
        { minLength: 1, maxLength: 10 },
      ),
    }),
    fc.record({
      splitMode: fc.constant('ranges' as const),
      splitPoints: fc
        .uniqueArray(seconds(0.001, most), { minLength: 1, maxLength: 30 })
        .map((points) => points.sort((one, other) => one - other)),
    }),
  );
}

function anyOptions({ seconds: most, bytes }: RequestBounds) {
  return fc.record(
    {
      maxDuration: seconds(1, Math.max(2, most / 8)),
      maxFileSize: fc.integer({ min: 65_536, max: bytes }),
      snapToSilence,
      overlap: fc.oneof(seconds(0, 0.5), seconds(0, 30)),
      trim: fc
        .tuple(seconds(0, most / 4), seconds(0.1, most), fc.constantFrom('start', 'end', 'both'))
        .map(([start, length, given]) => ({
          ...(given === 'end' ? {} : { start }),
          ...(given === 'start' ? {} : { end: Math.round((start + length) * 1000) / 1000 }),
        })),
    },
    { requiredKeys: [] },
  );
}
