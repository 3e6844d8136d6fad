import { useMemo, useRef } from 'preact/hooks';
import type { Segment } from '../../api/client.ts';
import { ownAddress } from '../../api/own-address.ts';
import { type Playing, pause, play } from '../../audio/player.ts';
import { describeSegment, haveVariousEnds } from '../../audio/segment-words.ts';
import { formatBytes, formatExactClock } from '../../format/format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { useWindow } from '../../parts/use-window.ts';

/** Matches the style sheet. */
const ROW_HEIGHT = 60;

interface SegmentListProps {
  readonly jobId: string;
  readonly segments: readonly Segment[];
  readonly current: Playing | undefined;
}

/** Renders only the visible rows. */
export function SegmentList({ jobId, segments, current }: SegmentListProps) {
  const list = useRef<HTMLOListElement>(null);
  const { first, end } = useWindow(list, ROW_HEIGHT, segments.length);
  const hasVariousEnds = useMemo(() => haveVariousEnds(segments), [segments]);
  const room = { paddingTop: `${first * ROW_HEIGHT}px`, height: `${segments.length * ROW_HEIGHT}px` };
  return (
    <section aria-labelledby="segments-title">
      <h2 id="segments-title" class="section-title">
        Segments
      </h2>
      <ol ref={list} class="segments card" style={room}>
        {segments.slice(first, end).map((segment) => (
          <Row
            key={segment.index}
            jobId={jobId}
            segment={segment}
            count={segments.length}
            hasVariousEnds={hasVariousEnds}
            isCurrent={current?.segment.index === segment.index}
            isPlaying={current?.segment.index === segment.index && !current.isPaused}
          />
        ))}
      </ol>
    </section>
  );
}

interface RowProps {
  readonly jobId: string;
  readonly segment: Segment;
  readonly count: number;
  readonly hasVariousEnds: boolean;
  readonly isCurrent: boolean;
  readonly isPlaying: boolean;
}

function Row({ jobId, segment, count, hasVariousEnds, isCurrent, isPlaying }: RowProps) {
  const { index, startTime, endTime, size, sizeIsEstimate, downloadUrl, location, title } = segment;
  const name = `segment ${index + 1}`;
  const about = describeSegment(segment, hasVariousEnds);
  return (
    <li
      class={isCurrent ? 'segment segment-current' : 'segment'}
      aria-setsize={count}
      aria-posinset={index + 1}
    >
      {downloadUrl === undefined ? (
        <span />
      ) : (
        <button
          type="button"
          class="button button-round"
          onClick={() => (isPlaying ? pause() : play(jobId, segment))}
          aria-label={`${isPlaying ? 'Pause' : 'Play'} ${name}`}
        >
          <Icon name={isPlaying ? 'pause' : 'play'} size={18} />
        </button>
      )}
      <span class="segment-number">{index + 1}</span>
      <span class="segment-what">
        <span class="segment-title">
          <span class="segment-time">
            <span>{formatExactClock(startTime)} –</span> <span>{formatExactClock(endTime)}</span>
          </span>
          {title !== undefined && <strong title={title}>{title}</strong>}
        </span>
        <span class="segment-note" title={about}>
          <span class="narrow-only">{formatBytes(size)} · </span>
          {about}
        </span>
      </span>
      <span class="segment-length">{formatExactClock(endTime - startTime)}</span>
      <span class="segment-size">
        {sizeIsEstimate === true && '≈ '}
        {formatBytes(size)}
      </span>
      <span class="segment-actions">
        {location !== undefined && <CopyButton text={location} what={`the location of ${name}`} isCompact />}
        {downloadUrl !== undefined && (
          <a
            class="button button-quiet"
            href={ownAddress(downloadUrl)}
            download
            aria-label={`Download ${name}`}
          >
            <Icon name="download" size={18} />
            <span class="wide-only">Download</span>
          </a>
        )}
      </span>
    </li>
  );
}
