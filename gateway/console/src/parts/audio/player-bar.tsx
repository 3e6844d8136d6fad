import { useLayoutEffect } from 'preact/hooks';
import { pause, play, playing, position, seek, stop } from '../../audio/player.ts';
import { formatClock, formatExactClock } from '../../format/format.ts';
import { useStore } from '../../state/store.ts';
import { Icon } from '../icons.tsx';

/** At the foot of the page while there is something to hear; the room for it is always kept. */
export function PlayerBar() {
  const now = useStore(playing);
  const at = useStore(position);
  const isOpen = now !== undefined;
  useLayoutEffect(() => {
    if (!isOpen) return;
    const opener = document.activeElement;
    return () => opener instanceof HTMLElement && opener.focus();
  }, [isOpen]);
  if (now === undefined) return null;
  const { jobId, segment, isPaused, hasFailed } = now;
  const name = `Segment ${segment.index + 1}`;
  return (
    <section class="player" aria-label="Player">
      <button
        type="button"
        class="button button-primary button-round"
        onClick={() => (isPaused ? play(jobId, segment) : pause())}
        aria-label={isPaused ? `Play ${name.toLowerCase()}` : `Pause ${name.toLowerCase()}`}
      >
        <Icon name={isPaused ? 'play' : 'pause'} />
      </button>
      <div class="player-what">
        <strong>{name}</strong>
        <span>
          {hasFailed
            ? 'This browser cannot play the format: download it.'
            : `from ${formatExactClock(segment.startTime)}`}
        </span>
      </div>
      <input
        type="range"
        class="player-seek"
        min={0}
        max={segment.duration}
        step={0.1}
        value={Math.min(at, segment.duration)}
        onInput={(event) => seek(Number(event.currentTarget.value))}
        aria-label="Position"
        aria-valuetext={`${formatClock(at)} of ${formatClock(segment.duration)}`}
      />
      <span class="player-time" aria-hidden="true">
        {formatClock(at)} / {formatClock(segment.duration)}
      </span>
      <button
        type="button"
        class="button button-quiet button-icon"
        onClick={stop}
        aria-label="Close the player"
      >
        <Icon name="close" />
      </button>
    </section>
  );
}
