import { OUTPUT_FORMATS, type OutputFormat, SPLIT_MODES } from '@audiosplit/proto/vocabulary';
import type { SplitRequest } from '../../audio/plan.ts';
import { formatSpan, parseClock } from '../../format/format.ts';
import { Field } from '../../parts/field.tsx';

/** The fields as typed. */
export interface SplitFields {
  readonly mode: SplitRequest['mode'];
  readonly length: string;
  readonly megabytes: string;
  readonly format: OutputFormat | '';
}

export const DEFAULT_FIELDS: SplitFields = { mode: 'duration', length: '5:00', megabytes: '25', format: '' };

const LENGTHS = ['1:00', '5:00', '10:00', '30:00'];
const SIZES = [
  { megabytes: '10', label: '10 MB' },
  { megabytes: '20', label: '20 MB' },
  { megabytes: '25', label: '25 MB' },
  { megabytes: '100', label: '100 MB' },
];
const MEGABYTE = 1e6;
/** Limits of the API. */
const BOUNDS = { seconds: [1, 86_400], bytes: [65_536, 2_147_483_648] } as const;

/** Undefined if a field is invalid. */
export function splitRequestOf({ mode, length, megabytes, format }: SplitFields): SplitRequest | undefined {
  const segmentSeconds = parseClock(length) ?? 0;
  const maxBytes = Math.floor(Number(megabytes) * MEGABYTE);
  const isGood =
    mode === 'duration' ? isWithin(segmentSeconds, BOUNDS.seconds) : isWithin(maxBytes, BOUNDS.bytes);
  return isGood ? { mode, segmentSeconds, maxBytes, format: format === '' ? undefined : format } : undefined;
}

function isWithin(value: number, [least, most]: readonly [number, number]): boolean {
  return value >= least && value <= most;
}

interface SplitFormProps {
  readonly text: SplitFields;
  readonly isDisabled: boolean;
  readonly onChange: (text: SplitFields) => void;
}

export function SplitForm({ text, isDisabled, onChange }: SplitFormProps) {
  const set = (change: Partial<SplitFields>) => onChange({ ...text, ...change });
  const isWrong = splitRequestOf(text) === undefined;
  return (
    <fieldset class="split-form" disabled={isDisabled}>
      <legend class="visually-hidden">How to cut</legend>
      <div class="switch" role="radiogroup" aria-label="Cut by">
        {SPLIT_MODES.map((mode) => (
          <label key={mode}>
            <input type="radio" name="mode" checked={text.mode === mode} onChange={() => set({ mode })} />
            <span>{mode === 'duration' ? 'By length' : 'By size'}</span>
          </label>
        ))}
      </div>
      {text.mode === 'duration' ? (
        <Field
          label="Length of a segment"
          hint="Minutes and seconds, as in 5:00, or seconds alone."
          problem={isWrong ? 'Give a length from 1 second to 24 hours.' : undefined}
        >
          {(ids) => (
            <div class="split-choice">
              <input
                {...ids}
                type="text"
                inputMode="numeric"
                autocomplete="off"
                value={text.length}
                onInput={(event) => set({ length: event.currentTarget.value })}
              />
              <Presets
                options={LENGTHS.map((value) => ({ value, label: formatSpan(parseClock(value) ?? 0) }))}
                chosen={text.length}
                onChoose={(length) => set({ length })}
              />
            </div>
          )}
        </Field>
      ) : (
        <Field
          label="Most megabytes of a segment"
          hint="No segment has more; a megabyte is a million bytes."
          problem={isWrong ? 'Give a size from 0.07 to 2,147 megabytes.' : undefined}
        >
          {(ids) => (
            <div class="split-choice">
              <input
                {...ids}
                type="text"
                inputMode="decimal"
                autocomplete="off"
                value={text.megabytes}
                onInput={(event) => set({ megabytes: event.currentTarget.value })}
              />
              <Presets
                options={SIZES.map(({ megabytes, label }) => ({ value: megabytes, label }))}
                chosen={text.megabytes}
                onChoose={(megabytes) => set({ megabytes })}
              />
            </div>
          )}
        </Field>
      )}
      <Field label="Format of the segments">
        {(ids) => (
          <select
            {...ids}
            value={text.format}
            onChange={(event) => set({ format: event.currentTarget.value as SplitFields['format'] })}
          >
            <option value="">As the source</option>
            {OUTPUT_FORMATS.map((format) => (
              <option key={format} value={format}>
                {format.toUpperCase()}
              </option>
            ))}
          </select>
        )}
      </Field>
    </fieldset>
  );
}

interface PresetsProps {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
}

function Presets({ options, chosen, onChoose }: PresetsProps) {
  return (
    <span class="presets">
      {options.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          class="chip"
          aria-pressed={chosen === value}
          onClick={() => onChoose(value)}
        >
          {label}
        </button>
      ))}
    </span>
  );
}
