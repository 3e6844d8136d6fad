import { useState } from 'preact/hooks';
import { api, type BillingInfo } from '../../api/client.ts';
import { formatDay } from '../../format/format.ts';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Field } from '../../parts/field.tsx';

interface CancelDialogProps {
  readonly info: BillingInfo;
  readonly onClose: () => void;
  readonly onDone: (message: string) => void;
}

export function CancelDialog({ info, onClose, onDone }: CancelDialogProps) {
  const { plan, subscription } = info;
  const isEnding = subscription?.cancelAtPeriodEnd === true;
  const [immediate, setImmediate] = useState(isEnding);
  const [reason, setReason] = useState('');
  const end = subscription === null ? '' : formatDay(subscription.currentPeriodEnd);
  const body = { immediate, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
  return (
    <Confirm
      title={`Cancel ${plan.name}?`}
      action={immediate ? 'End it now' : `End it on ${end}`}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await api.billing.cancel.mutate(body);
        onDone(immediate ? 'Your subscription has ended.' : `Your subscription ends on ${end}.`);
      }}
    >
      <fieldset class="choices">
        <legend>When it ends</legend>
        <label class="choice">
          <input type="radio" name="when" checked={!immediate} onChange={() => setImmediate(false)} />
          <span>
            On {end} <span class="hint">what is paid for stays yours until then</span>
          </span>
        </label>
        <label class="choice">
          <input type="radio" name="when" checked={immediate} onChange={() => setImmediate(true)} />
          <span>
            Now <span class="hint">nothing is paid back; minutes beyond the plan are billed; jobs go on</span>
          </span>
        </label>
      </fieldset>
      <Field label="Reason (optional)">
        {(ids) => (
          <input
            {...ids}
            maxLength={2_000}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        )}
      </Field>
      <Curl calls={[{ method: 'POST', path: '/api/v1/billing/cancel', credential: 'token', body }]} />
    </Confirm>
  );
}
