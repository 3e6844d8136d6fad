import { useState } from 'preact/hooks';
import { api, type Connection, type NewConnection } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { useSubmission } from '../../parts/entry/use-submission.ts';
import { Field } from '../../parts/field.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { CONNECTION_FIELDS, type ConnectionField } from './connection-fields.ts';

interface NewConnectionDialogProps {
  /** Of the API. */
  readonly path: string;
  readonly onClose: () => void;
  readonly onMade: (connection: Connection) => void;
}

type Typed = Readonly<Record<ConnectionField, string>>;

const EMPTY: Typed = {
  name: '',
  endpoint: '',
  region: '',
  bucket: '',
  prefix: '',
  accessKeyId: '',
  secretAccessKey: '',
};
const FIELDS = Object.entries(CONNECTION_FIELDS) as [
  ConnectionField,
  (typeof CONNECTION_FIELDS)[ConnectionField],
][];

/** The secret is typed here once; it goes with the dialog. */
export function NewConnectionDialog({ path, onClose, onMade }: NewConnectionDialogProps) {
  const [typed, setTyped] = useState(EMPTY);
  const set = (field: ConnectionField, value: string) => setTyped({ ...typed, [field]: value });
  const body = bodyOf(typed);
  const { submit, isRunning, problemOf, failure } = useSubmission(async () =>
    onMade(await api.connections.create.mutate(body)),
  );
  const isNameTaken = failure?.code === 'CONNECTION_NAME_TAKEN';
  return (
    // A press beside it would lose what is typed.
    <Dialog title="Connect a bucket" onClose={onClose} isLight={false}>
      <form onSubmit={submit}>
        <div class="dialog-body">
          {FIELDS.map(([field, { label, hint, placeholder, isRequired }]) => (
            <Field
              key={field}
              label={label}
              hint={hint}
              problem={problemOf(field) ?? (field === 'name' && isNameTaken ? failure?.message : undefined)}
            >
              {(ids) =>
                field === 'secretAccessKey' ? (
                  <input
                    {...ids}
                    type="password"
                    required
                    // A browser would fill in the password of the account.
                    autocomplete="new-password"
                    value={typed[field]}
                    onInput={(event) => set(field, event.currentTarget.value)}
                  />
                ) : (
                  <input
                    {...ids}
                    type="text"
                    required={isRequired}
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck={false}
                    placeholder={placeholder}
                    value={typed[field]}
                    onInput={(event) => set(field, event.currentTarget.value)}
                  />
                )
              }
            </Field>
          ))}
          {failure !== undefined && !isNameTaken && <FailureNotice failure={failure} />}
          <Curl
            calls={[{ method: 'POST', path, credential: 'token', body: { ...body, secretAccessKey: '…' } }]}
          />
        </div>
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-primary" aria-disabled={isRunning}>
            Connect it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function bodyOf(typed: Typed): NewConnection {
  const { name, endpoint, region, bucket, prefix, accessKeyId, secretAccessKey } = typed;
  return {
    name: name.trim(),
    type: 's3',
    ...(endpoint.trim() === '' ? {} : { endpoint: endpoint.trim() }),
    region: region.trim(),
    bucket: bucket.trim(),
    ...(prefix.trim() === '' ? {} : { prefix: prefix.trim() }),
    accessKeyId: accessKeyId.trim(),
    // Pasted with the line that it stood on.
    secretAccessKey: secretAccessKey.trim(),
  };
}
