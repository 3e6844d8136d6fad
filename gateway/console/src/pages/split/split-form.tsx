import { OUTPUT_FORMATS, type OutputFormat } from '@audiosplit/proto/vocabulary';
import type { SplitRequest } from '../../audio/plan.ts';
import { type OfferedMode, SPLIT_MODES } from '../../audio/split-modes.ts';
import { Field } from '../../parts/field.tsx';

const MODES = Object.keys(SPLIT_MODES) as OfferedMode[];

/** The fields as typed. */
export interface SplitFields {
  readonly mode: OfferedMode;
  /** Of the modes that were changed. */
  readonly texts: Readonly<Partial<Record<OfferedMode, string>>>;
  readonly format: OutputFormat | '';
}

export const DEFAULT_FIELDS: SplitFields = { mode: 'duration', texts: {}, format: '' };

/** Undefined if a field is invalid. */
export function splitRequestOf(fields: SplitFields): SplitRequest | undefined {
  const cut = SPLIT_MODES[fields.mode].parse(textOf(fields));
  return cut && { cut, format: fields.format === '' ? undefined : fields.format };
}

function textOf({ mode, texts }: SplitFields): string {
  return texts[mode] ?? SPLIT_MODES[mode].defaultText;
}

interface SplitFormProps {
  readonly text: SplitFields;
  readonly isDisabled: boolean;
  readonly onChange: (text: SplitFields) => void;
}

export function SplitForm({ text, isDisabled, onChange }: SplitFormProps) {
  const set = (change: Partial<SplitFields>) => onChange({ ...text, ...change });
  const isWrong = splitRequestOf(text) === undefined;
  const { label, hint, problem, inputMode, presets } = SPLIT_MODES[text.mode];
  const value = textOf(text);
  const setValue = (typed: string) => set({ texts: { ...text.texts, [text.mode]: typed } });
  return (
    <fieldset class="split-form" disabled={isDisabled}>
      <legend class="visually-hidden">How to cut</legend>
      <div class="switch" role="radiogroup" aria-label="Cut by">
        {MODES.map((mode) => (
          <label key={mode}>
            <input type="radio" name="mode" checked={text.mode === mode} onChange={() => set({ mode })} />
            <span>{SPLIT_MODES[mode].name}</span>
          </label>
        ))}
      </div>
      <Field label={label} hint={hint} problem={isWrong ? problem : undefined}>
        {(ids) => (
          <div class="split-choice">
            <input
              {...ids}
              type="text"
              inputMode={inputMode}
              autocomplete="off"
              value={value}
              onInput={(event) => setValue(event.currentTarget.value)}
            />
            <Presets options={presets} chosen={value} onChoose={setValue} />
          </div>
        )}
      </Field>
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
