import { type ApiKey, api } from '../../api/client.ts';
import { formatDate } from '../../format/format.ts';
import { expiryOf, KeyDialog, type KeyRequest, type Scope } from './key-dialog.tsx';

interface EditKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function EditKeyDialog({ apiKey, onClose, onDone }: EditKeyDialogProps) {
  const { id: keyId, name, scopes, expiresAt } = apiKey;
  const initial: KeyRequest = { name, scopes: scopes as Scope[], days: undefined };
  /** Only the changed fields. */
  const changeOf = (request: KeyRequest) => {
    const chosen = expiryOf(request);
    return {
      ...(request.name === name ? {} : { name: request.name }),
      ...(isSame(request.scopes, scopes) ? {} : { scopes: [...request.scopes] }),
      ...(chosen === undefined ? {} : { expiresAt: chosen }),
    };
  };
  return (
    <KeyDialog
      title={`Change “${name}”`}
      action="Change the key"
      initial={initial}
      keptExpiry={expiresAt === null ? 'never' : formatDate(expiresAt)}
      curlOf={(request) => ({
        method: 'PATCH',
        path: `/api/v1/api-keys/${keyId}`,
        credential: 'token',
        body: changeOf(request),
      })}
      onSubmit={async (request) => {
        await api.keys.update.mutate({ keyId, ...changeOf(request) });
        onDone();
      }}
      onClose={onClose}
    />
  );
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}
