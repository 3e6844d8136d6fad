import { useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../../src/api/failure.ts';
import { Field } from '../../../src/parts/field.tsx';
import { FailureNotice } from '../../../src/parts/notices.tsx';
import { announce } from '../../../src/state/announce.ts';
import { api } from '../../api.ts';
import { ReasonField } from '../../parts.tsx';

interface ClockFormProps {
  readonly accountId: string;
  readonly clock: string;
  readonly onMoved: () => void;
}

const DAY_MS = 86_400_000;
const LEAPS = [
  { label: 'A day on', days: 1 },
  { label: 'A week on', days: 7 },
  { label: '31 days on', days: 31 },
] as const;

/** Moves the time of one account's billing forward. Sandbox of the payment provider only. */
export function ClockForm({ accountId, clock, onMoved }: ClockFormProps) {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);

  const move = async (to: Date) => {
    if (isRunning || reason.trim() === '') return;
    setRunning(true);
    setFailure(undefined);
    try {
      await api.accounts.moveClock.mutate({ accountId, now: to.toISOString(), reason: reason.trim() });
      announce(`The account's clock shows ${textOf(to)}.`);
      setTyped('');
      onMoved();
    } catch (error) {
      setFailure(failureOf(error));
    }
    setRunning(false);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void move(new Date(`${typed}Z`));
  };

  return (
    <form class="card panel" aria-labelledby="clock-title" onSubmit={submit}>
      <h2 id="clock-title">Test clock</h2>
      <p class="hint">
        The billing of this account takes it to be <strong class="number">{textOf(new Date(clock))}</strong>.
        What falls due on the way is done. It never goes back.
      </p>
      <ReasonField value={reason} onInput={setReason} />
      <div class="clock-row">
        <Field label="Move to (UTC)" problem={failure?.fields.get('now')}>
          {(ids) => (
            <input
              {...ids}
              type="datetime-local"
              required
              min={clock.slice(0, 16)}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="button button-primary" aria-disabled={isRunning}>
          Move
        </button>
        {LEAPS.map(({ label, days }) => (
          <button
            key={days}
            type="button"
            class="button"
            aria-disabled={isRunning || reason.trim() === ''}
            onClick={() => move(new Date(Date.parse(clock) + days * DAY_MS))}
          >
            {label}
          </button>
        ))}
      </div>
      {failure !== undefined && failure.fields.size === 0 && <FailureNotice failure={failure} />}
    </form>
  );
}

function textOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
