import { useEffect, useState } from 'preact/hooks';
import { api, type Connection, type ConnectionTest, type Failure, failureOf } from '../../api/client.ts';
import { folderOf } from '../../audio/destination.ts';
import { formatDate } from '../../format/format.ts';
import { Icon } from '../../parts/icons.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { tell } from '../../state/announce.ts';
import { TestResult, verdictOf } from './test-result.tsx';

interface ConnectionCardProps {
  readonly connection: Connection;
  /** Tried at once. */
  readonly isNew: boolean;
  readonly onRemove: () => void;
}

export function ConnectionCard({ connection, isNew, onRemove }: ConnectionCardProps) {
  const { id, name, endpoint, region, accessKeyId, createdAt } = connection;
  const [result, setResult] = useState<ConnectionTest>();
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const test = async () => {
    if (isRunning) return;
    setRunning(true);
    setResult(undefined);
    setFailure(undefined);
    try {
      const tested = await api.connections.test.mutate({ connectionId: id });
      setResult(tested);
      tell(`${name}: ${verdictOf(tested)}`);
    } catch (error) {
      setFailure(failureOf(error));
    }
    setRunning(false);
  };
  useEffect(() => {
    if (isNew) void test();
  }, [isNew]);
  return (
    <li class="card key connection">
      <span class="key-icon">
        <Icon name="link" />
      </span>
      <div class="key-what">
        <h2>{name}</h2>
        <code>{folderOf(connection)}</code>
      </div>
      <dl class="key-facts">
        <div>
          <dt>Store</dt>
          <dd>{endpoint ?? `Amazon S3, ${region}`}</dd>
        </div>
        <div>
          <dt>Key</dt>
          <dd>
            <code>{accessKeyId}</code>
          </dd>
        </div>
        <div>
          <dt>Made</dt>
          <dd>{formatDate(createdAt)}</dd>
        </div>
      </dl>
      <div class="row">
        <button
          type="button"
          class="button"
          onClick={test}
          aria-disabled={isRunning}
          aria-label={`Test ${name}`}
        >
          <Icon name="retry" size={16} /> {isRunning ? 'Testing …' : 'Test'}
        </button>
        <button
          type="button"
          class="button button-danger-quiet"
          onClick={onRemove}
          aria-label={`Delete ${name}`}
        >
          <Icon name="trash" size={16} /> Delete
        </button>
      </div>
      {(result !== undefined || failure !== undefined) && (
        <div class="connection-test">
          {result !== undefined && <TestResult result={result} />}
          {failure !== undefined && <FailureNotice failure={failure} onRetry={test} />}
        </div>
      )}
    </li>
  );
}
