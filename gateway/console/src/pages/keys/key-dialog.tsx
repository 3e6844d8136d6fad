import { useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../api/client.ts';
import type { CurlCall } from '../../format/curl-command.ts';
import { Curl } from '../../parts/curl.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FailureNotice } from '../../parts/notices.tsx';

const SCOPES = [
  { scope: 'splits:read', label: 'See jobs and fetch segments' },
  { scope: 'splits:write', label: 'Split files, cancel and delete jobs' },
  { scope: 'keys:manage', label: 'List, rotate and revoke keys' },
  { scope: 'connections:manage', label: 'Manage connections to buckets' },
] as const;
export type Scope = (typeof SCOPES)[number]['scope'];

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { days: 0, label: 'Never' },
  { days: 30, label: 'In 30 days' },
  { days: 90, label: 'In 90 days' },
  { days: 365, label: 'In a year' },
];

/** The settings of a key. */
export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Days until it expires. 0: never. Undefined: unchanged. */
  readonly days: number | undefined;
}

/** The API's `expiresAt`. Undefined if unchanged. */
export function expiryOf({ days }: KeyRequest): string | null | undefined {
  if (days === undefined) return undefined;
  return days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString();
}

interface KeyDialogProps {
  readonly title: string;
  readonly action: string;
  readonly initial: KeyRequest;
  /** Text of the present expiry. Absent for a new key. */
  readonly keptExpiry?: string;
  readonly curlOf: (request: KeyRequest) => CurlCall;
  /** On an error the dialog stays open and shows it. */
  readonly onSubmit: (request: KeyRequest) => Promise<void>;
  readonly onClose: () => void;
}

/** Edits a key's name, scopes and expiry. */
export function KeyDialog(props: KeyDialogProps) {
  const { title, action, initial, keptExpiry, curlOf, onSubmit, onClose } = props;
  const [request, setRequest] = useState(initial);
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const { name, scopes, days } = request;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    await onSubmit(request).catch((error) => {
      setFailure(failureOf(error));
      setRunning(false);
    });
  };
  const toggle = (scope: Scope) =>
    setRequest({
      ...request,
      scopes: scopes.includes(scope) ? scopes.filter((each) => each !== scope) : [...scopes, scope],
    });
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <div class="dialog-body">
          <Field label="Name" hint="For you to recognise it by." problem={failure?.fields.get('name')}>
            {(ids) => (
              <input
                {...ids}
                required
                maxLength={255}
                value={name}
                onInput={(event) => setRequest({ ...request, name: event.currentTarget.value })}
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
              <select
                {...ids}
                value={days ?? ''}
                onChange={({ currentTarget: { value } }) =>
                  setRequest({ ...request, days: value === '' ? undefined : Number(value) })
                }
              >
                {keptExpiry !== undefined && <option value="">As it is: {keptExpiry}</option>}
                {LIFETIMES.map((each) => (
                  <option key={each.days} value={each.days}>
                    {each.label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {failure !== undefined && failure.fields.size === 0 && <FailureNotice failure={failure} />}
          <Curl calls={[curlOf(request)]} />
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
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
