import { useState } from 'preact/hooks';
import { type ApiKey, api } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Field } from '../../parts/field.tsx';

const GRACES = [
  { seconds: 0, label: 'At once' },
  { seconds: 3_600, label: 'After an hour' },
  { seconds: 86_400, label: 'After a day' },
  { seconds: 604_800, label: 'After a week' },
];

interface RotateDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

export function RotateDialog({ apiKey, onClose, onMade }: RotateDialogProps) {
  const [graceSeconds, setGraceSeconds] = useState(3_600);
  const { id: keyId, name } = apiKey;
  return (
    <Confirm
      title={`A new secret for “${name}”`}
      action="Rotate the key"
      onClose={onClose}
      onConfirm={async () => onMade((await api.keys.rotate.mutate({ keyId, graceSeconds })).key)}
    >
      <p>The key keeps its name and what it may do. Programs need the new secret before the old one ends.</p>
      <Field label="The old secret ends">
        {(ids) => (
          <select
            {...ids}
            value={graceSeconds}
            onChange={(event) => setGraceSeconds(Number(event.currentTarget.value))}
          >
            {GRACES.map(({ seconds, label }) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Curl
        calls={[
          {
            method: 'POST',
            path: `/api/v1/api-keys/${keyId}/rotate`,
            credential: 'token',
            body: { graceSeconds },
          },
        ]}
      />
    </Confirm>
  );
}
