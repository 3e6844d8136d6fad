import { useState } from 'preact/hooks';
import { type ApiKey, api } from '../api/client.ts';
import { formatAgo, formatDate } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { announce } from '../state/announce.ts';
import { useQuery } from '../state/query.ts';
import { EditKeyDialog } from './keys/edit-key-dialog.tsx';
import { NewKeyDialog } from './keys/new-key-dialog.tsx';
import { RotateDialog } from './keys/rotate-dialog.tsx';
import { SecretDialog } from './keys/secret-dialog.tsx';

type Asking =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit'; readonly key: ApiKey }
  | { readonly kind: 'rotate'; readonly key: ApiKey }
  | { readonly kind: 'revoke'; readonly key: ApiKey }
  | { readonly kind: 'secret'; readonly secret: string };

const ALL = { page: 1, limit: 100 };

export function KeysPage() {
  const { data, failure, reload } = useQuery('keys', () => api.keys.list.query(ALL));
  const [asking, setAsking] = useState<Asking>();
  const close = () => setAsking(undefined);
  const show = (secret: string) => {
    setAsking({ kind: 'secret', secret });
    reload();
  };
  return (
    <Page
      title="API keys"
      lead="A key lets a program split files on your behalf. Its secret is shown once, when the key is created."
      actions={
        <button type="button" class="button button-primary" onClick={() => setAsking({ kind: 'new' })}>
          <Icon name="plus" size={18} /> New key
        </button>
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={3} />
      ) : data.data.length === 0 ? (
        <Empty
          title="No keys yet"
          action={
            <button type="button" class="button button-primary" onClick={() => setAsking({ kind: 'new' })}>
              Create the first one
            </button>
          }
        >
          A program with a key can do everything that this page does.
        </Empty>
      ) : (
        <ul class="keys">
          {data.data.map((key) => (
            <KeyCard
              key={key.id}
              apiKey={key}
              onEdit={() => setAsking({ kind: 'edit', key })}
              onRotate={() => setAsking({ kind: 'rotate', key })}
              onRevoke={() => setAsking({ kind: 'revoke', key })}
            />
          ))}
        </ul>
      )}
      <Curl calls={[{ path: '/api/v1/api-keys', credential: 'token' }]} />
      {asking?.kind === 'new' && <NewKeyDialog onClose={close} onMade={show} />}
      {asking?.kind === 'edit' && (
        <EditKeyDialog
          apiKey={asking.key}
          onClose={close}
          onDone={() => {
            announce('The key is changed.');
            close();
            reload();
          }}
        />
      )}
      {asking?.kind === 'rotate' && <RotateDialog apiKey={asking.key} onClose={close} onMade={show} />}
      {asking?.kind === 'secret' && <SecretDialog secret={asking.secret} onClose={close} />}
      {asking?.kind === 'revoke' && (
        <Confirm
          title={`Revoke “${asking.key.name}”?`}
          action="Revoke the key"
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.keys.revoke.mutate({ keyId: asking.key.id });
            announce('The key is revoked.');
            close();
            reload();
          }}
        >
          <p>Programs that use it are refused within a second. You cannot undo this.</p>
          <Curl
            calls={[{ method: 'DELETE', path: `/api/v1/api-keys/${asking.key.id}`, credential: 'token' }]}
          />
        </Confirm>
      )}
    </Page>
  );
}

interface KeyCardProps {
  readonly apiKey: ApiKey;
  readonly onEdit: () => void;
  readonly onRotate: () => void;
  readonly onRevoke: () => void;
}

function KeyCard({ apiKey, onEdit, onRotate, onRevoke }: KeyCardProps) {
  const { name, keyPreview, scopes, lastUsedAt, createdAt, expiresAt } = apiKey;
  const nowMs = Date.now();
  return (
    <li class="card key">
      <span class="key-icon">
        <Icon name="key" />
      </span>
      <div class="key-what">
        <h2>{name}</h2>
        <code>{keyPreview}</code>
        <span class="tags">
          {scopes.map((scope) => (
            <span key={scope} class="code-tag">
              {scope}
            </span>
          ))}
        </span>
      </div>
      <dl class="key-facts">
        <div>
          <dt>Last used</dt>
          <dd>{lastUsedAt === null ? 'never' : formatAgo(lastUsedAt, nowMs)}</dd>
        </div>
        <div>
          <dt>Made</dt>
          <dd>{formatDate(createdAt)}</dd>
        </div>
        <div>
          <dt>Expires</dt>
          <dd>{expiresAt === null ? 'never' : formatDate(expiresAt)}</dd>
        </div>
      </dl>
      <div class="row">
        <button type="button" class="button" onClick={onEdit} aria-label={`Change ${name}`}>
          <Icon name="pencil" size={16} /> Change
        </button>
        <button type="button" class="button" onClick={onRotate} aria-label={`Rotate ${name}`}>
          <Icon name="retry" size={16} /> Rotate
        </button>
        <button
          type="button"
          class="button button-danger-quiet"
          onClick={onRevoke}
          aria-label={`Revoke ${name}`}
        >
          <Icon name="trash" size={16} /> Revoke
        </button>
      </div>
    </li>
  );
}
