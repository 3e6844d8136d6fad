import { NOTIFICATION_TYPES, type NotificationType } from '@audiosplit/proto/vocabulary';
import { useState } from 'preact/hooks';
import { api, type Failure, failureOf, type WebhookEndpoint } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { SettingForm } from '../../parts/entry/setting-form.tsx';
import { Field } from '../../parts/field.tsx';
import { FailureNotice, Skeleton } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { announce } from '../../state/announce.ts';
import { useQuery } from '../../state/query.ts';

const PATH = '/api/v1/webhooks/endpoint';

/** `onTested`: there is a new delivery. */
export function EndpointPanel({ onTested }: { readonly onTested: () => void }) {
  const { data, failure, reload } = useQuery('webhook endpoint', () => api.webhooks.endpoint.query());
  const [isRemoving, setRemoving] = useState(false);
  const [testFailure, setTestFailure] = useState<Failure>();
  const test = async () => {
    setTestFailure(undefined);
    try {
      await api.webhooks.test.mutate();
      announce('A ping is on its way.');
      onTested();
    } catch (error) {
      setTestFailure(failureOf(error));
    }
  };
  return (
    <Panel
      title="Endpoint of the account"
      lead="Gets notifications of all jobs and exports, in addition to the addresses that they name, and of the account."
      actions={
        data != null && (
          <>
            <button type="button" class="button" onClick={test}>
              Send a test event
            </button>
            <button type="button" class="button button-danger-quiet" onClick={() => setRemoving(true)}>
              Remove
            </button>
          </>
        )
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {testFailure !== undefined && <FailureNotice failure={testFailure} onRetry={test} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={2} />
      ) : (
        <EndpointForm
          // Begins anew with what is saved.
          key={JSON.stringify(data)}
          endpoint={data}
          onSaved={reload}
        />
      )}
      {isRemoving && (
        <Confirm
          title="Remove the endpoint?"
          action="Remove the endpoint"
          isDangerous
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await api.webhooks.removeEndpoint.mutate();
            setRemoving(false);
            announce('The endpoint is removed.');
            reload();
          }}
        >
          <p>Pending notifications are still sent there. Addresses that jobs name do not change.</p>
          <Curl calls={[{ method: 'DELETE', path: PATH, credential: 'token' }]} />
        </Confirm>
      )}
    </Panel>
  );
}

interface EndpointFormProps {
  readonly endpoint: WebhookEndpoint | null;
  readonly onSaved: () => void;
}

function EndpointForm({ endpoint, onSaved }: EndpointFormProps) {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [events, setEvents] = useState<readonly NotificationType[]>(endpoint?.events ?? NOTIFICATION_TYPES);
  const isAll = events.length === NOTIFICATION_TYPES.length;
  const body = { url: url.trim(), ...(isAll ? {} : { events: [...events] }) };
  const save = async () => {
    await api.webhooks.setEndpoint.mutate(body);
    announce('The endpoint is set.');
    onSaved();
  };
  const choose = (type: NotificationType, isChosen: boolean) =>
    setEvents(NOTIFICATION_TYPES.filter((each) => (each === type ? isChosen : events.includes(each))));
  return (
    <>
      <SettingForm action={endpoint === null ? 'Set the endpoint' : 'Change the endpoint'} onSave={save}>
        {(problemOf) => (
          <>
            <Field
              label="Address"
              hint="An https address that accepts a POST with JSON."
              problem={problemOf('url')}
            >
              {(ids) => (
                <input
                  {...ids}
                  type="url"
                  required
                  maxLength={2_048}
                  placeholder="https://example.com/hooks/audio"
                  value={url}
                  onInput={(event) => setUrl(event.currentTarget.value)}
                />
              )}
            </Field>
            <fieldset class="choices">
              <legend>Notifications</legend>
              {NOTIFICATION_TYPES.map((type) => (
                <label key={type} class="choice">
                  <input
                    type="checkbox"
                    checked={events.includes(type)}
                    onChange={(event) => choose(type, event.currentTarget.checked)}
                  />
                  <code>{type}</code>
                </label>
              ))}
              <p class={events.length === 0 ? 'problem' : 'hint'}>
                {events.length === 0
                  ? 'Choose at least one.'
                  : isAll
                    ? 'All, including those of later releases.'
                    : 'Only those.'}
              </p>
            </fieldset>
          </>
        )}
      </SettingForm>
      <Curl calls={[{ method: 'PUT', path: PATH, credential: 'token', body }]} />
      <Curl
        label="A test event, with curl"
        calls={[{ method: 'POST', path: '/api/v1/webhooks/test', credential: 'token' }]}
      />
    </>
  );
}
