import { leaveQuestion } from '../../state/leaving.ts';
import { useStore } from '../../state/store.ts';
import { Confirm } from './confirm.tsx';

/** Shown while the page asks whether to leave it. */
export function LeaveDialog() {
  const question = useStore(leaveQuestion);
  if (question === undefined) return null;
  const { title, text, action, leave, stay } = question;
  return (
    <Confirm
      title={title}
      action={action}
      dismissal="Stay here"
      isDangerous
      onClose={stay}
      onConfirm={async () => leave()}
    >
      <p>{text}</p>
    </Confirm>
  );
}
