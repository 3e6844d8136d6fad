import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SplitMode } from '../../audio/cut.ts';
import {
  type CutOptions,
  SWITCH_OPTION_NAMES,
  SWITCH_OPTIONS,
  TEXT_OPTION_NAMES,
  TEXT_OPTIONS,
  type TextOption,
} from '../../audio/cut-options.ts';
import { Field } from '../../parts/field.tsx';

interface MoreOptionsProps {
  readonly mode: SplitMode;
  readonly options: CutOptions;
  readonly problems: Readonly<Partial<Record<TextOption, string>>>;
  /** How many are in effect, shown while they are folded away. */
  readonly count: number;
  readonly onChange: (options: CutOptions) => void;
  /** Further ones, made when they are first unfolded. */
  readonly children: ComponentChildren;
}

/** Only what goes with the mode is shown. A problem, which another field may cause, unfolds it. */
export function MoreOptions(props: MoreOptionsProps) {
  const { mode, options, problems, count, onChange, children } = props;
  // The element alone knows whether it is open: its event comes later than a press that folds it.
  const details = useRef<HTMLDetailsElement>(null);
  const [wasOpen, setWasOpen] = useState(false);
  const hasProblem = Object.keys(problems).length > 0;
  useEffect(() => {
    if (hasProblem && details.current !== null) details.current.open = true;
  }, [hasProblem]);
  return (
    <details class="more" ref={details} onToggle={() => setWasOpen(true)}>
      <summary>
        More options
        {hasProblem ? (
          <span class="problem">something is wrong</span>
        ) : (
          count > 0 && <span class="more-count">{count} set</span>
        )}
      </summary>
      <div class="more-fields">
        {TEXT_OPTION_NAMES.filter((name) => TEXT_OPTIONS[name].goesWith(mode, options)).map((name) => {
          const { label, hint, placeholder, inputMode, isHalf } = TEXT_OPTIONS[name];
          return (
            <div key={name} class={isHalf ? 'more-half' : 'more-whole'}>
              <Field label={label} hint={hint} problem={problems[name]}>
                {(ids) => (
                  <input
                    {...ids}
                    type="text"
                    inputMode={inputMode}
                    autocomplete="off"
                    placeholder={placeholder}
                    value={options[name] ?? ''}
                    onInput={(event) => onChange({ ...options, [name]: event.currentTarget.value })}
                  />
                )}
              </Field>
            </div>
          );
        })}
        {SWITCH_OPTION_NAMES.map((name) => {
          const { label, hint } = SWITCH_OPTIONS[name];
          return (
            <label key={name} class="choice more-whole">
              <input
                type="checkbox"
                checked={options[name] === true}
                onChange={(event) => onChange({ ...options, [name]: event.currentTarget.checked })}
              />
              <span>
                {label}
                <span class="hint">{hint}</span>
              </span>
            </label>
          );
        })}
        {wasOpen && children}
      </div>
    </details>
  );
}
