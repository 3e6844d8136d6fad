import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlannedPiece } from '../../audio/edited-plan.ts';
import { formatExactClock } from '../../format/format.ts';
import { Icon } from '../../parts/icons.tsx';

interface PieceRowProps {
  readonly number: number;
  readonly piece: PlannedPiece;
  /** Another piece has some of the same. */
  readonly overlap: boolean;
  readonly isDisabled: boolean;
  /** Something has to be kept. */
  readonly isLastKept: boolean;
  readonly onKeep: (isKept: boolean) => void;
  readonly onTitle: (title: string) => void;
  /** Absent: nothing follows. */
  readonly onJoin?: () => void;
}

const MAX_TITLE_CHARACTERS = 500;

export function PieceRow(props: PieceRowProps) {
  const { number, piece, overlap, isDisabled, isLastKept, onKeep, onTitle, onJoin } = props;
  const { start, end, title, isKept } = piece;
  const isFixed = isDisabled || isLastKept;
  const keep = useRef<HTMLInputElement>(null);
  const times = `${formatExactClock(start)} – ${formatExactClock(end)}`;
  return (
    <li class={isKept ? 'piece' : 'piece piece-dropped'}>
      <label class="piece-keep">
        <input
          ref={keep}
          type="checkbox"
          checked={isKept}
          aria-disabled={isFixed}
          aria-label={`Keep piece ${number}`}
          onClick={(event) => isFixed && event.preventDefault()}
          onChange={(event) => !isFixed && onKeep(event.currentTarget.checked)}
        />
        <span class="number">{times}</span>
      </label>
      {isKept ? (
        <TitleField number={number} title={title ?? ''} isDisabled={isDisabled} onTitle={onTitle} />
      ) : (
        <span class="hint">left out</span>
      )}
      {overlap && <span class="badge">overlaps</span>}
      {onJoin !== undefined && (
        <button
          type="button"
          class="button button-quiet button-icon"
          aria-label={`Join piece ${number} with the next`}
          title="Join with the next"
          aria-disabled={isDisabled}
          onClick={() => {
            // The button may go with the cut.
            keep.current?.focus();
            onJoin();
          }}
        >
          <Icon name="close" size={16} />
        </button>
      )}
    </li>
  );
}

interface TitleFieldProps {
  readonly number: number;
  readonly title: string;
  readonly isDisabled: boolean;
  readonly onTitle: (title: string) => void;
}

/** Keeps what is being typed, whose spaces at the end the plan does not have. */
function TitleField({ number, title, isDisabled, onTitle }: TitleFieldProps) {
  const [typed, setTyped] = useState(title);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(title);
  }, [title]);
  return (
    <input
      ref={field}
      type="text"
      class="piece-title"
      placeholder="Title"
      aria-label={`Title of piece ${number}`}
      autocomplete="off"
      maxLength={MAX_TITLE_CHARACTERS}
      value={typed}
      disabled={isDisabled}
      onInput={(event) => {
        setTyped(event.currentTarget.value);
        onTitle(event.currentTarget.value);
      }}
    />
  );
}
