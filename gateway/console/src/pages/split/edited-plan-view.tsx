import type { Peaks } from '../../audio/peaks.ts';
import { parsePlaces } from '../../audio/typed-places.ts';
import { Waveform } from '../../parts/audio/waveform.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { useQuery } from '../../state/query.ts';

interface EditedPlanViewProps {
  readonly peaks: Peaks | undefined;
  /** A dry run that has the same source. */
  readonly dryRunId: string | undefined;
  readonly seconds: number;
  /** As typed. */
  readonly text: string;
  readonly isDisabled: boolean;
  readonly onChange: (text: string) => void;
}

/** The editor of a plan, whose code is loaded by the first plan that is edited. */
export function EditedPlanView({ text, ...props }: EditedPlanViewProps) {
  const { data: part, failure, reload } = useQuery('code of the plan', () => import('./plan-editor.tsx'));
  const { peaks, seconds } = props;
  if (part !== undefined) {
    const { value, problem } = parsePlaces(text);
    return <part.PlanEditor {...props} places={value} isWrong={problem !== undefined && problem !== ''} />;
  }
  return (
    <>
      <Waveform peaks={peaks} seconds={seconds} pieces={[]} label="The recording" />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
    </>
  );
}
