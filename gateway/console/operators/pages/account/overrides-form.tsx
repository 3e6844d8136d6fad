import { useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../../src/api/failure.ts';
import { plural } from '../../../src/format/format.ts';
import { Field } from '../../../src/parts/field.tsx';
import { FailureNotice } from '../../../src/parts/notices.tsx';
import { announce } from '../../../src/state/announce.ts';
import { api, type FigureRow } from '../../api.ts';
import { describe, figureOf, labelOf, textOf } from '../../figures.ts';
import { ReasonField } from '../../parts.tsx';

interface OverridesFormProps {
  readonly accountId: string;
  readonly figures: readonly FigureRow[];
  readonly onSaved: () => void;
}

export function OverridesForm({ accountId, figures, onSaved }: OverridesFormProps) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(figures.map(({ figure, override }) => [figure, textOf(figure, override)])),
  );
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const changes = figures.flatMap(({ figure, override }) => {
    const value = figureOf(figure, typed[figure] ?? '');
    return value === override ? [] : [{ figure, value }];
  });

  const save = async (event: Event) => {
    event.preventDefault();
    const whole = changes.flatMap(({ figure, value }) => (value === undefined ? [] : [{ figure, value }]));
    if (isRunning || whole.length === 0 || whole.length < changes.length) return;
    setRunning(true);
    setFailure(undefined);
    try {
      await api.accounts.changeOverrides.mutate({ accountId, changes: whole, reason: reason.trim() });
      announce(`${plural(changes.length, 'figure')} changed.`);
      onSaved();
    } catch (error) {
      setFailure(failureOf(error));
    }
    setRunning(false);
  };

  return (
    <form class="card panel" aria-labelledby="overrides-title" onSubmit={save}>
      <h2 id="overrides-title">Limits and prices</h2>
      <p class="hint">
        An empty field is the plan's figure. What you save holds at once, whatever plan the account has.
      </p>
      <div class="figures">
        {figures.map(({ figure, ofPlan, override, effective }) => (
          <Field
            key={figure}
            label={labelOf(figure)}
            hint={
              override !== null && effective !== override
                ? `Of the plan: ${describe(figure, ofPlan)}. On paid plans alone.`
                : `Of the plan: ${describe(figure, ofPlan)}`
            }
            problem={
              changes.some((each) => each.figure === figure && each.value === undefined)
                ? 'Give a number of this unit, or nothing.'
                : failure?.fields.get(figure)
            }
          >
            {(ids) => (
              <input
                {...ids}
                type="text"
                inputMode="decimal"
                autocomplete="off"
                placeholder={textOf(figure, ofPlan)}
                value={typed[figure]}
                onInput={(event) => setTyped({ ...typed, [figure]: event.currentTarget.value.trim() })}
              />
            )}
          </Field>
        ))}
      </div>
      {changes.length > 0 && (
        <ReasonField value={reason} problem={failure?.fields.get('reason')} onInput={setReason} />
      )}
      {failure !== undefined && failure.fields.size === 0 && <FailureNotice failure={failure} />}
      <div class="row">
        <button type="submit" class="button button-primary" aria-disabled={isRunning || changes.length === 0}>
          {changes.length === 0 ? 'Nothing to save' : `Save ${plural(changes.length, 'change')}`}
        </button>
        {figures.some(({ figure }) => typed[figure] !== '') && (
          <button
            type="button"
            class="button"
            onClick={() => setTyped(Object.fromEntries(figures.map(({ figure }) => [figure, ''])))}
          >
            Empty all
          </button>
        )}
      </div>
    </form>
  );
}
