import type { ComponentChildren } from 'preact';
import { type Failure, isOfMoney, isOfPlan, mayPass } from '../api/failure.ts';
import { Icon } from './icons.tsx';
import { Link } from './link.tsx';

interface FailureNoticeProps {
  readonly failure: Failure;
  /** Offered where another try may help. */
  readonly onRetry?: () => void;
}

export function FailureNotice({ failure, onRetry }: FailureNoticeProps) {
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="alert" />
      <p>
        {failure.message} <code class="code-tag">{failure.code}</code>
      </p>
      {isOfPlan(failure) && (
        <Link class="button" to="/billing">
          See the plans
        </Link>
      )}
      {isOfMoney(failure) && (
        <Link class="button" to="/billing">
          Open Billing
        </Link>
      )}
      {onRetry !== undefined && mayPass(failure) && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** What is shown may be old; nothing is to be done about it. */
export function ConnectionLost() {
  return (
    <div class="notice notice-wait">
      <Icon name="retry" />
      <p>Connection lost, trying again …</p>
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** Where there is nothing yet: what will be here, and how it gets here. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-wave" aria-hidden="true">
        {[10, 22, 38, 26, 14, 30, 44, 28, 16].map((height, n) => (
          <i key={n} style={{ height: `${height}px` }} />
        ))}
      </span>
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}

/** Takes the place of rows that are on their way. */
export function Skeleton({ rows }: { readonly rows: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, n) => (
        <span key={n} />
      ))}
    </div>
  );
}
