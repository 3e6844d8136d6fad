import { useState } from 'preact/hooks';
import type { Security } from '../../api/client.ts';
import { formatDate, plural } from '../../format/format.ts';
import { Curl } from '../../parts/curl.tsx';
import { Panel } from '../../parts/panel.tsx';
import { BeginSecondFactorDialog } from './begin-second-factor.tsx';
import { ChangeSecondFactorDialog } from './change-second-factor.tsx';
import { RecoveryCodesDialog } from './recovery-codes.tsx';

/** As many as make a holder think of new ones. */
const FEW_CODES = 3;

type Open =
  | { readonly kind: 'begin' | 'off' | 'renew' }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

interface SecondFactorPanelProps {
  readonly security: Security;
  readonly onChanged: () => void;
}

export function SecondFactorPanel({ security, onChanged }: SecondFactorPanelProps) {
  const { secondFactor } = security;
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const show = (codes: readonly string[]) => {
    setOpen({ kind: 'codes', codes });
    onChanged();
  };
  const turnedOff = () => {
    close();
    onChanged();
  };
  return (
    <Panel
      title="Second factor"
      lead={
        secondFactor === undefined
          ? 'Off. With it, signing in takes a code from an authenticator app as well as the password.'
          : `On since ${formatDate(secondFactor.enabledAt)}, with ${plural(secondFactor.recoveryCodesLeft, 'recovery code')} left.`
      }
      actions={
        secondFactor === undefined ? (
          <button type="button" class="button button-primary" onClick={() => setOpen({ kind: 'begin' })}>
            Turn it on
          </button>
        ) : (
          <>
            <button type="button" class="button" onClick={() => setOpen({ kind: 'renew' })}>
              New recovery codes
            </button>
            <button type="button" class="button button-danger-quiet" onClick={() => setOpen({ kind: 'off' })}>
              Turn it off
            </button>
          </>
        )
      }
    >
      {secondFactor !== undefined && secondFactor.recoveryCodesLeft <= FEW_CODES && (
        <p class="panel-note">Few recovery codes are left: make new ones before you need them.</p>
      )}
      <Curl
        calls={[
          {
            method: 'POST',
            path: '/api/v1/account/second-factor',
            credential: 'token',
            body: { current: 'your password' },
          },
          {
            method: 'POST',
            path: '/api/v1/account/second-factor/confirm',
            credential: 'token',
            body: { code: '123456' },
          },
        ]}
      />
      {open?.kind === 'begin' && <BeginSecondFactorDialog onClose={close} onDone={show} />}
      {open?.kind === 'renew' && <ChangeSecondFactorDialog kind="renew" onClose={close} onDone={show} />}
      {open?.kind === 'off' && <ChangeSecondFactorDialog kind="off" onClose={close} onDone={turnedOff} />}
      {open?.kind === 'codes' && <RecoveryCodesDialog codes={open.codes} onClose={close} />}
    </Panel>
  );
}
