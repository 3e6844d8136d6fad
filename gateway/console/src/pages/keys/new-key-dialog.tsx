import { api } from '../../api/client.ts';
import { expiryOf, KeyDialog, type KeyRequest } from './key-dialog.tsx';

const INITIAL: KeyRequest = { name: '', scopes: ['splits:read', 'splits:write'], days: 0 };

interface NewKeyDialogProps {
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

export function NewKeyDialog({ onClose, onMade }: NewKeyDialogProps) {
  return (
    <KeyDialog
      title="New API key"
      action="Create the key"
      initial={INITIAL}
      curlOf={(request) => ({
        method: 'POST',
        path: '/api/v1/api-keys',
        credential: 'token',
        body: bodyOf(request),
      })}
      onSubmit={async (request) => onMade((await api.keys.create.mutate(bodyOf(request))).key)}
      onClose={onClose}
    />
  );
}

function bodyOf(request: KeyRequest) {
  const expiresAt = expiryOf(request);
  return { name: request.name, scopes: [...request.scopes], ...(expiresAt ? { expiresAt } : {}) };
}
