import { useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../../src/api/failure.ts';
import { plural } from '../../../src/format/format.ts';
import { Field } from '../../../src/parts/field.tsx';
import { FailureNotice } from '../../../src/parts/notices.tsx';
import { announce } from '../../../src/state/announce.ts';
import { api, type FigureRow } from '../../api.ts';
import { describe, LABELS } from '../../figures.ts';

interface OverridesFormProps {
  readonly accountId: string;
  readonly figures: readonly FigureRow[];
  readonly onSaved: () => void;
}

export function OverridesForm({ accountId, figures, onSaved }: OverridesFormProps) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(figures.map(({ figure, override }) => [figure, override?.toString() ?? ''])),
  );
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const changes = figures.flatMap(({ figure, override }) => {
    const text = typed[figure] ?? '';
    const value = text === '' ? null : Number(text);
    return value === override ? [] : [{ figure, value }];
  });

  const save = async (event: Event) => {
    event.preventDefault();
    if (isRunning || changes.length === 0) return;
    setRunning(true);
    setFailure(undefined);
    try {
      await api.accounts.changeOverrides.mutate({ accountId, changes });
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
            label={LABELS[figure]}
            hint={
              override !== null && effective !== override
                ? `Of the plan: ${describe(figure, ofPlan)}. On paid plans alone.`
                : `Of the plan: ${describe(figure, ofPlan)}`
            }
            problem={failure?.fields.get(figure)}
          >
            {(ids) => (
              <input
                {...ids}
                type="text"
                inputMode="numeric"
                pattern="[0-9]{0,15}"
                title="A whole number, or nothing"
                autocomplete="off"
                placeholder={ofPlan?.toString() ?? ''}
                value={typed[figure]}
                onInput={(event) => setTyped({ ...typed, [figure]: event.currentTarget.value.trim() })}
              />
            )}
          </Field>
        ))}
      </div>
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
