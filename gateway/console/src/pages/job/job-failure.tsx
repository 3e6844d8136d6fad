import type { FailedJob } from '../../api/client.ts';
import { remedyOf } from '../../api/job-state.ts';
import { Icon } from '../../parts/icons.tsx';
import { Link } from '../../parts/link.tsx';

interface JobFailureProps {
  readonly error: FailedJob['error'];
  readonly onRetry: () => void;
}

/** A test of the connection says more. */
const OF_A_STORE: readonly string[] = ['FORBIDDEN_BY_STORE', 'DESTINATION_UNREACHABLE'];

/** Why the job failed, and what to do about it. */
export function JobFailure({ error: { code, message }, onRetry }: JobFailureProps) {
  const remedy = remedyOf(code);
  const isCanceled = code === 'CANCELED';
  return (
    <section
      class={isCanceled ? 'card ended' : 'card ended failed'}
      aria-label={isCanceled ? 'Canceled' : 'Why it failed'}
    >
      {isCanceled ? (
        <>
          <h2>This job was canceled</h2>
          <p>It has no segments and used no minutes.</p>
        </>
      ) : (
        <>
          <h2>This job has failed</h2>
          <p>
            {message} <code class="code-tag">{code}</code>
          </p>
        </>
      )}
      <div class="row">
        {remedy === 'again' && (
          <button type="button" class="button button-primary" onClick={onRetry}>
            <Icon name="retry" size={18} /> {isCanceled ? 'Split it after all' : 'Try again'}
          </button>
        )}
        {(remedy === 'plan' || remedy === 'limit') && (
          <Link class="button button-primary" to="/billing">
            {remedy === 'plan' ? 'See the plans' : 'Change the spend limit'}
          </Link>
        )}
        {OF_A_STORE.includes(code) && (
          <Link class="button" to="/account/connections">
            Your connections
          </Link>
        )}
        <Link class={remedy === 'other' ? 'button button-primary' : 'button'} to="/">
          Split another file
        </Link>
      </div>
    </section>
  );
}
