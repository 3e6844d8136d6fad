import { useState } from 'preact/hooks';
import { formatDate } from '../../../src/format/format.ts';
import { FailureNotice } from '../../../src/parts/notices.tsx';
import { Panel } from '../../../src/parts/panel.tsx';
import { announce } from '../../../src/state/announce.ts';
import { useQuery } from '../../../src/state/query.ts';
import { ActDialog } from '../../act-dialog.tsx';
import { api } from '../../api.ts';

interface SignInPanelProps {
  readonly accountId: string;
  readonly onActed: () => void;
}

/** How the account signs in. */
export function SignInPanel({ accountId, onActed }: SignInPanelProps) {
  const { data, failure, reload } = useQuery(`sign-in ${accountId}`, () =>
    api.accounts.signIn.query({ accountId }),
  );
  const [isAsking, setAsking] = useState(false);
  const turnOff = async (reason: string) => {
    await api.accounts.turnOffSecondFactor.mutate({ accountId, reason });
    setAsking(false);
    announce('The second factor is off.');
    reload();
    onActed();
  };
  return (
    <Panel title="Sign-in">
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === null && <p class="panel-empty">Auth knows no password of this account.</p>}
      {data !== undefined && data !== null && (
        <dl class="facts">
          <div>
            <dt>Address</dt>
            <dd>{data.emailVerified ? 'verified' : 'not verified'}</dd>
          </div>
          <div>
            <dt>Sessions</dt>
            <dd>{data.sessions}</dd>
          </div>
          <div>
            <dt>Second factor</dt>
            <dd>
              {data.secondFactorSince === null ? 'off' : `on since ${formatDate(data.secondFactorSince)}`}
            </dd>
          </div>
        </dl>
      )}
      {data?.secondFactorSince != null && (
        <div class="row">
          <button type="button" class="button button-danger-quiet" onClick={() => setAsking(true)}>
            Turn the second factor off
          </button>
        </div>
      )}
      {isAsking && (
        <ActDialog
          title="Turn the second factor off?"
          action="Turn it off"
          isDangerous
          onAct={turnOff}
          onClose={() => setAsking(false)}
        >
          <p>
            Make sure first that its holder asks for this, and not somebody who has the password. All sessions
            of the account end, and its holder gets a mail.
          </p>
        </ActDialog>
      )}
    </Panel>
  );
}
