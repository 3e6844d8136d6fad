import type { ConnectionTest } from '../../api/client.ts';
import { Icon } from '../../parts/icons.tsx';

type Check = ConnectionTest['checks'][number];

const WORDS: Readonly<Record<Check['action'], string>> = {
  list: 'List the folder',
  read: 'Read an object',
  write: 'Write an object',
  delete: 'Delete it again',
};

/** What a key may do in its bucket, and what the store has said to the rest. */
export function TestResult({ result }: { readonly result: ConnectionTest }) {
  const { ok, checks } = result;
  return (
    <>
      <p class={ok ? 'connection-verdict' : 'problem'}>{verdictOf(result)}</p>
      <ul class="checks">
        {checks.map((check) => (
          <li key={check.action} class={check.ok ? 'check' : 'check check-bad'}>
            <Icon name={check.ok ? 'check' : 'close'} size={16} />
            <span>
              {WORDS[check.action]}
              <span class="visually-hidden">{check.ok ? ': works' : ': does not work'}</span>
              {check.message !== undefined && <span class="check-words">{check.message}</span>}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

export function verdictOf({ ok, checks }: ConnectionTest): string {
  const failed = checks.filter((check) => !check.ok).length;
  return ok ? 'All of it works.' : `${failed} of ${checks.length} ${failed === 1 ? 'does' : 'do'} not work.`;
}
