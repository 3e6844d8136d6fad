import { useState } from 'preact/hooks';
import { api, type ListedJob, type RemovedJobs } from '../../api/client.ts';
import { plural } from '../../format/format.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Icon } from '../../parts/icons.tsx';

interface ChosenJobsProps {
  readonly chosen: readonly ListedJob[];
  /** There is nothing to choose. */
  readonly isEmpty: boolean;
  readonly isAll: boolean;
  readonly onChooseAll: (isChosen: boolean) => void;
  readonly onDeleted: () => void;
}

interface Removal {
  readonly removed: RemovedJobs;
  readonly names: ReadonlyMap<string, string>;
}

/** What can be done with all the jobs that are chosen on the page. */
export function ChosenJobs({ chosen, isEmpty, isAll, onChooseAll, onDeleted }: ChosenJobsProps) {
  const [isAsking, setAsking] = useState(false);
  const [removal, setRemoval] = useState<Removal>();
  const count = plural(chosen.length, 'job');
  const remove = async () => {
    const names = new Map(chosen.map(({ id, sourceName }) => [id, sourceName]));
    const removed = await api.jobs.removeMany.mutate({ jobIds: [...names.keys()] });
    setAsking(false);
    setRemoval({ removed, names });
    onDeleted();
  };
  return (
    <fieldset class="chosen-jobs" hidden={isEmpty && removal === undefined}>
      <legend class="visually-hidden">Chosen jobs</legend>
      <label class="chosen-jobs-all">
        <input
          type="checkbox"
          checked={isAll}
          onChange={(event) => onChooseAll(event.currentTarget.checked)}
        />
        {chosen.length === 0 ? 'Choose all on this page' : `${count} chosen`}
      </label>
      {chosen.length > 0 && (
        <button type="button" class="button button-danger-quiet" onClick={() => setAsking(true)}>
          <Icon name="trash" size={16} /> Delete the chosen
        </button>
      )}
      {isAsking && (
        <Confirm
          title={`Delete ${count}?`}
          action="Delete"
          isDangerous
          onClose={() => setAsking(false)}
          onConfirm={remove}
        >
          <p>The jobs and their segments are gone for good. Jobs that are running stay.</p>
        </Confirm>
      )}
      {removal !== undefined && <RemovalDialog {...removal} onClose={() => setRemoval(undefined)} />}
    </fieldset>
  );
}

const OUTCOMES: Readonly<Record<RemovedJobs[number]['outcome'], string>> = {
  deleted: 'Deleted',
  running: 'Still running: cancel it first',
  gone: 'Already deleted',
};

/** One line for each job. */
function RemovalDialog({ removed, names, onClose }: Removal & { readonly onClose: () => void }) {
  return (
    <Dialog title={summaryOf(removed)} onClose={onClose}>
      <div class="dialog-body">
        <ul class="removal">
          {removed.map(({ jobId, outcome }) => (
            <li key={jobId} class={outcome === 'running' ? 'removal-kept' : undefined}>
              <span>
                {names.get(jobId)}
                <span class="row-sub">{jobId}</span>
              </span>
              <strong>{OUTCOMES[outcome]}</strong>
            </li>
          ))}
        </ul>
      </div>
      <div class="dialog-foot">
        <button type="button" class="button button-primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

function summaryOf(removed: RemovedJobs): string {
  const countOf = (wanted: RemovedJobs[number]['outcome']) =>
    removed.filter(({ outcome }) => outcome === wanted).length;
  const running = countOf('running');
  const deleted = `${plural(countOf('deleted'), 'job')} deleted`;
  return running === 0 ? deleted : `${deleted}, ${running} still ${running === 1 ? 'runs' : 'run'}`;
}
