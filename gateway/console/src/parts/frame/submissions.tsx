import { useEffect } from 'preact/hooks';
import { mayPass } from '../../api/failure.ts';
import { filesOf, nameOf } from '../../audio/chosen-source.ts';
import { formatBytes } from '../../format/format.ts';
import { path } from '../../state/location.ts';
import { useStore } from '../../state/store.ts';
import {
  BROKEN_OFF,
  dismissSubmission,
  resubmit,
  type Stage,
  type Submission,
  shownSubmission,
  submissions,
} from '../../state/submissions.ts';
import { Icon } from '../icons.tsx';
import { Link } from '../link.tsx';

/** What is on its way to a job, wherever in the console one looks, unless its own page shows it. */
export function Submissions() {
  const all = useStore(submissions);
  const shown = useStore(shownSubmission);
  const where = useStore(path);
  useEffect(() => {
    for (const { id, stage } of all) {
      if (stage.kind === 'begun' && where === stage.path) dismissSubmission(id);
    }
  }, [all, where]);
  const listed = all.filter(({ id, isSeen }) => id !== shown && !isSeen);
  if (listed.length === 0) return null;
  return (
    <ul class="submissions" aria-label="Uploads">
      {listed.map((each) => (
        <Row key={each.id} {...each} />
      ))}
    </ul>
  );
}

function Row(submission: Submission) {
  const { id, order, stage } = submission;
  const { source } = order;
  const name = nameOf(source);
  const isSending = stage.kind === 'sending';
  return (
    <li class={classOf(stage)}>
      <strong class="submission-name" title={name}>
        {name}
      </strong>
      {isSending && <Sending name={name} files={filesOf(source)} {...stage} />}
      {stage.kind === 'starting' && <span class="submission-words">Starting …</span>}
      {stage.kind === 'begun' && <span class="submission-words">The split has begun.</span>}
      {stage.kind === 'failed' && <span class="submission-words">{stage.failure.message}</span>}
      {stage.kind === 'begun' && (
        <Link class="button button-small" to={stage.path}>
          See the {source.kind === 'batch' ? 'batch' : 'job'}
        </Link>
      )}
      {stage.kind === 'failed' && mayPass(stage.failure) && (
        <button type="button" class="button button-small" onClick={() => resubmit(submission)}>
          Try again
        </button>
      )}
      {isSending ? (
        <button type="button" class="button button-small" onClick={() => dismissSubmission(id)}>
          Stop<span class="visually-hidden"> the upload of {name}</span>
        </button>
      ) : (
        stage.kind !== 'starting' && (
          <button
            type="button"
            class="button button-quiet button-icon"
            onClick={() => dismissSubmission(id)}
            aria-label={`Dismiss ${name}`}
          >
            <Icon name="close" size={16} />
          </button>
        )
      )}
    </li>
  );
}

function classOf(stage: Stage): string {
  if (stage.kind === 'failed') return 'submission submission-failed';
  return stage.kind === 'sending' && stage.isBroken ? 'submission submission-broken' : 'submission';
}

interface SendingProps {
  readonly name: string;
  readonly files: readonly File[];
  readonly fraction: number;
  readonly isBroken: boolean;
}

function Sending({ name, files, fraction, isBroken }: SendingProps) {
  const percent = Math.round(fraction * 100);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const words = `${formatBytes(bytes * fraction)} of ${formatBytes(bytes)}`;
  return (
    <>
      <span
        class="progress"
        role="progressbar"
        aria-label={`Upload of ${name}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words}
      >
        <span style={{ transform: `scaleX(${fraction})` }} />
      </span>
      <span class="submission-words number">
        {percent} %<span class="wide-only"> · {words}</span>
        {isBroken && ` · ${BROKEN_OFF}`}
      </span>
    </>
  );
}
