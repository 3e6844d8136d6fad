import { leaveQuestion } from '../../state/leaving.ts';
import { useStore } from '../../state/store.ts';
import { Confirm } from './confirm.tsx';

/** There while somebody is asked whether to leave the page. */
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
