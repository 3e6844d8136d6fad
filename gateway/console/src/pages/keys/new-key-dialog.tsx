import { useState } from 'preact/hooks';
import { api, type Failure, failureOf } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FailureNotice } from '../../parts/notices.tsx';

const SCOPES = [
  { scope: 'splits:read', label: 'See jobs and fetch segments' },
  { scope: 'splits:write', label: 'Split files, cancel and delete jobs' },
  { scope: 'keys:manage', label: 'List, rotate and revoke keys' },
] as const;
type Scope = (typeof SCOPES)[number]['scope'];

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { days: 0, label: 'Never' },
  { days: 30, label: 'In 30 days' },
  { days: 90, label: 'In 90 days' },
  { days: 365, label: 'In a year' },
];

interface NewKeyDialogProps {
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

export function NewKeyDialog({ onClose, onMade }: NewKeyDialogProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['splits:read', 'splits:write']);
  const [days, setDays] = useState(0);
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const body = () => ({
    name,
    scopes: [...scopes],
    ...(days === 0 ? {} : { expiresAt: new Date(Date.now() + days * DAY_MS).toISOString() }),
  });
  const make = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    try {
      onMade((await api.keys.create.mutate(body())).key);
    } catch (error) {
      setFailure(failureOf(error));
      setRunning(false);
    }
  };
  const toggle = (scope: Scope) =>
    setScopes(scopes.includes(scope) ? scopes.filter((each) => each !== scope) : [...scopes, scope]);
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form onSubmit={make}>
        <div class="dialog-body">
          <Field label="Name" hint="What you will know it by." problem={failure?.fields.get('name')}>
            {(ids) => (
              <input
                {...ids}
                required
                maxLength={255}
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            )}
          </Field>
          <fieldset class="choices">
            <legend>What it may do</legend>
            {SCOPES.map(({ scope, label }) => (
              <label key={scope} class="choice">
                <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
                <span>
                  {label} <code class="code-tag">{scope}</code>
                </span>
              </label>
            ))}
          </fieldset>
          <Field label="Expires" problem={failure?.fields.get('expiresAt')}>
            {(ids) => (
              <select {...ids} value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
                {LIFETIMES.map((each) => (
                  <option key={each.days} value={each.days}>
                    {each.label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {failure !== undefined && failure.fields.size === 0 && <FailureNotice failure={failure} />}
          <Curl calls={[{ method: 'POST', path: '/api/v1/api-keys', credential: 'token', body: body() }]} />
        </div>
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="button button-primary"
            disabled={scopes.length === 0}
            aria-disabled={isRunning}
          >
            Make the key
          </button>
        </div>
      </form>
    </Dialog>
  );
}
