import { OUTPUT_FORMATS } from '@audiosplit/proto/vocabulary';
import type { ComponentChildren } from 'preact';
import { type ReadFields, type SplitFields, textOf } from '../../audio/split-fields.ts';
import { MODE_NAMES, SPLIT_MODES } from '../../audio/split-modes.ts';
import { namesOfUnshownFields } from '../../audio/unshown-fields.ts';
import { Field } from '../../parts/field.tsx';
import { MoreOptions } from './more-options.tsx';
import { PresetPicker } from './preset-picker.tsx';

interface SplitFormProps {
  readonly text: SplitFields;
  /** What the fields say as they are. */
  readonly read: ReadFields;
  readonly isDisabled: boolean;
  readonly onChange: (text: SplitFields) => void;
  /** Below "More options", of which so many are in effect. */
  readonly furtherOptions: ComponentChildren;
  readonly furtherCount: number;
}

const LINES_SHOWN = 4;

export function SplitForm(props: SplitFormProps) {
  const { text, read, isDisabled, onChange, furtherOptions, furtherCount } = props;
  const set = (change: Partial<SplitFields>) => onChange({ ...text, ...change });
  const { mode, texts } = text;
  const { label, hint, field } = SPLIT_MODES[mode];
  const kept = namesOfUnshownFields(text.unshown, read.request?.cut);
  const value = textOf(text);
  const setValue = (typed: string) => set({ texts: { ...texts, [mode]: typed } });
  return (
    <fieldset class="split-form" disabled={isDisabled}>
      <legend class="visually-hidden">How to cut</legend>
      <PresetPicker request={read.request} onChange={onChange} />
      <div class="switch" role="radiogroup" aria-label="Cut by">
        {MODE_NAMES.map((each) => (
          <label key={each}>
            <input type="radio" name="mode" checked={mode === each} onChange={() => set({ mode: each })} />
            <span>{SPLIT_MODES[each].name}</span>
          </label>
        ))}
      </div>
      <Field key={mode} label={label} hint={hint} problem={read.modeProblem}>
        {(ids) =>
          field.kind === 'lines' ? (
            <textarea
              {...ids}
              rows={LINES_SHOWN}
              autocomplete="off"
              spellcheck={false}
              placeholder={field.placeholder}
              value={value}
              onInput={(event) => setValue(event.currentTarget.value)}
            />
          ) : (
            <div class="split-choice">
              <input
                {...ids}
                type="text"
                inputMode={field.inputMode}
                autocomplete="off"
                value={value}
                onInput={(event) => setValue(event.currentTarget.value)}
              />
              <Presets options={field.presets} chosen={value} onChoose={setValue} />
            </div>
          )
        }
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
      <MoreOptions
        mode={mode}
        options={text.options}
        problems={read.optionProblems}
        count={read.optionCount + furtherCount}
        onChange={(options) => set({ options })}
      >
        {furtherOptions}
      </MoreOptions>
      {kept.length > 0 && (
        <p class="hint kept-fields">
          Kept as it was: {kept.join(', ')}.{' '}
          <button type="button" class="button button-quiet" onClick={() => set({ unshown: {} })}>
            Drop
          </button>
        </p>
      )}
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
