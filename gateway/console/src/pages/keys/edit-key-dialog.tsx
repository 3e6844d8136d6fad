import { type ApiKey, api } from '../../api/client.ts';
import { formatDate } from '../../format/format.ts';
import { expiryOf, KeyDialog, type KeyWish, type Scope } from './key-dialog.tsx';

interface EditKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function EditKeyDialog({ apiKey, onClose, onDone }: EditKeyDialogProps) {
  const { id: keyId, name, scopes, expiresAt } = apiKey;
  const initial: KeyWish = { name, scopes: scopes as Scope[], days: undefined };
  /** Only what is different. */
  const changeOf = (wish: KeyWish) => {
    const chosen = expiryOf(wish);
    return {
      ...(wish.name === name ? {} : { name: wish.name }),
      ...(isSame(wish.scopes, scopes) ? {} : { scopes: [...wish.scopes] }),
      ...(chosen === undefined ? {} : { expiresAt: chosen }),
    };
  };
  return (
    <KeyDialog
      title={`Change “${name}”`}
      action="Change the key"
      initial={initial}
      keptExpiry={expiresAt === null ? 'never' : formatDate(expiresAt)}
      curlOf={(wish) => ({
        method: 'PATCH',
        path: `/api/v1/api-keys/${keyId}`,
        credential: 'token',
        body: changeOf(wish),
      })}
      onSubmit={async (wish) => {
        await api.keys.update.mutate({ keyId, ...changeOf(wish) });
        onDone();
      }}
      onClose={onClose}
    />
  );
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}
