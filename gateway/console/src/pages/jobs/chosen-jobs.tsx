import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { plural } from '../../format/format.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Icon } from '../../parts/icons.tsx';

interface ChosenJobsProps {
  readonly chosen: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly onChooseAll: (isChosen: boolean) => void;
  readonly onDeleted: (message: string) => void;
}

/** What can be done with all the jobs that are chosen on the page. */
export function ChosenJobs({ chosen, isAll, onChooseAll, onDeleted }: ChosenJobsProps) {
  const [isAsking, setAsking] = useState(false);
  const count = plural(chosen.size, 'job');
  const remove = async () => {
    const { removed } = await api.jobs.removeMany.mutate({ jobIds: [...chosen] });
    setAsking(false);
    const kept = chosen.size - removed;
    const rest = kept === 0 ? '' : ` ${kept} still run: cancel them first.`;
    onDeleted(`${plural(removed, 'job')} deleted.${rest}`);
  };
  return (
    <fieldset class="chosen-jobs">
      <legend class="visually-hidden">Chosen jobs</legend>
      <label class="chosen-jobs-all">
        <input
          type="checkbox"
          checked={isAll}
          onChange={(event) => onChooseAll(event.currentTarget.checked)}
        />
        {chosen.size === 0 ? 'Choose all on this page' : `${count} chosen`}
      </label>
      {chosen.size > 0 && (
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
    </fieldset>
  );
}
