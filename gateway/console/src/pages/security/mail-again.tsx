import { useState } from 'preact/hooks';
import { api, failureOf } from '../../api/client.ts';
import { announce } from '../../state/announce.ts';

export function MailAgain() {
  const [isSent, setSent] = useState(false);
  const send = async () => {
    try {
      await api.security.requestVerification.mutate();
      setSent(true);
      announce('If none was sent within five minutes, a mail is on its way.');
    } catch (error) {
      announce(failureOf(error).message);
    }
  };
  return (
    <div class="row">
      <button type="button" class="button" aria-disabled={isSent} onClick={() => !isSent && void send()}>
        {isSent ? 'Check your mail' : 'Mail the link again'}
      </button>
    </div>
  );
}
