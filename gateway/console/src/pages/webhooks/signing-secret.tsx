import { useState } from 'preact/hooks';
import { api, type Failure, failureOf } from '../../api/client.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Icon } from '../../parts/icons.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { announce } from '../../state/announce.ts';

const HIDDEN = '••••••••••••••••••••••••';

/** Loads the secret only when it is to be shown. */
export function SigningSecret() {
  const [secret, setSecret] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const [isRotating, setRotating] = useState(false);
  const show = async () => {
    setFailure(undefined);
    try {
      setSecret((await api.webhooks.secret.query()).secret);
    } catch (error) {
      setFailure(failureOf(error));
    }
  };
  return (
    <Panel
      title="Signing secret"
      lead="Every notification is signed by Standard Webhooks 1.0. Your program checks the signature with this secret."
      actions={
        <>
          {secret === undefined ? (
            <button type="button" class="button" onClick={show}>
              Show
            </button>
          ) : (
            <button type="button" class="button" onClick={() => setSecret(undefined)}>
              Hide
            </button>
          )}
          <button type="button" class="button" onClick={() => setRotating(true)}>
            <Icon name="retry" size={16} /> Rotate the secret
          </button>
        </>
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} onRetry={show} />}
      <div class="secret">
        <code data-testid="signing-secret">
          {secret ?? (
            <>
              whsec_<span aria-hidden="true">{HIDDEN}</span>
              <span class="visually-hidden">hidden</span>
            </>
          )}
        </code>
        {secret !== undefined && <CopyButton text={secret} what="the signing secret" />}
      </div>
      <Curl calls={[{ path: '/api/v1/webhooks/secret', credential: 'token' }]} />
      {isRotating && (
        <Confirm
          title="A new signing secret"
          action="Rotate the secret"
          onClose={() => setRotating(false)}
          onConfirm={async () => {
            setSecret((await api.webhooks.rotateSecret.mutate()).secret);
            setRotating(false);
            announce('There is a new secret.');
          }}
        >
          <p>
            For 24 hours every notification carries two signatures, by the old secret and by the new one. Give
            your program the new one within that time.
          </p>
          <Curl calls={[{ method: 'POST', path: '/api/v1/webhooks/secret/rotate', credential: 'token' }]} />
        </Confirm>
      )}
    </Panel>
  );
}
