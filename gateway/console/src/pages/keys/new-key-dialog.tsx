import { api } from '../../api/client.ts';
import { expiryOf, KeyDialog, type KeyWish } from './key-dialog.tsx';

const INITIAL: KeyWish = { name: '', scopes: ['splits:read', 'splits:write'], days: 0 };

interface NewKeyDialogProps {
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

export function NewKeyDialog({ onClose, onMade }: NewKeyDialogProps) {
  return (
    <KeyDialog
      title="New API key"
      action="Make the key"
      initial={INITIAL}
      curlOf={(wish) => ({
        method: 'POST',
        path: '/api/v1/api-keys',
        credential: 'token',
        body: bodyOf(wish),
      })}
      onSubmit={async (wish) => onMade((await api.keys.create.mutate(bodyOf(wish))).key)}
      onClose={onClose}
    />
  );
}

function bodyOf(wish: KeyWish) {
  const expiresAt = expiryOf(wish);
  return { name: wish.name, scopes: [...wish.scopes], ...(expiresAt ? { expiresAt } : {}) };
}
