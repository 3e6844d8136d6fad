import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { announce } from '../../state/announce.ts';
import { accountChanged } from '../../state/session.ts';
import { ALL_GONE_DAYS, GRACE_DAYS } from './grace.ts';

const CONFIRMATION = 'DELETE MY ACCOUNT';

export function DeleteDialog({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  return (
    <Confirm
      title="Delete your account?"
      action="Delete my account"
      isDangerous
      isReady={typed === CONFIRMATION}
      onClose={onClose}
      onConfirm={async () => {
        await api.account.remove.mutate({ confirmation: CONFIRMATION });
        announce('Your account is closed.');
        accountChanged();
      }}
    >
      <ul class="consequences">
        <li>API keys are refused at once, and jobs that have not begun are dropped.</li>
        <li>You can restore the account for {GRACE_DAYS} days: sign in, as always.</li>
        <li>
          Then jobs, segments, keys, invoices and exports go for good, within {ALL_GONE_DAYS} days from now.
        </li>
      </ul>
      <Field label={`Type ${CONFIRMATION} to confirm`}>
        {(ids) => (
          <input
            {...ids}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </Field>
      <Curl
        calls={[
          {
            method: 'DELETE',
            path: '/api/v1/account',
            credential: 'token',
            body: { confirmation: CONFIRMATION },
          },
        ]}
      />
    </Confirm>
  );
}
