import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChosenSource } from '../../audio/chosen-source.ts';
import { formatBytes } from '../../format/format.ts';
import { Icon } from '../../parts/icons.tsx';
import { tell } from '../../state/announce.ts';

interface DropZoneProps {
  readonly source: ChosenSource | undefined;
  readonly isDisabled: boolean;
  readonly maxBytes: number | undefined;
  readonly onChoose: (source: ChosenSource | undefined) => void;
}

/** A file can be dropped anywhere on the page. The field is for everyone else. */
export function DropZone({ source, isDisabled, maxBytes, onChoose }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined) => {
    if (file === undefined || isDisabled) return;
    onChoose({ kind: 'file', file });
    tell(`${file.name} is chosen.`);
  };
  const latest = useRef(take);
  latest.current = take;

  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      latest.current(event.dataTransfer?.files[0]);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);

  const url = source?.kind === 'url' ? source.url : '';
  return (
    <div class={isOver ? 'drop drop-over' : 'drop'}>
      <div class="drop-file">
        <span class="drop-icon">
          <Icon name={source?.kind === 'file' ? 'wave' : 'upload'} size={28} />
        </span>
        <div class="drop-words">
          <strong>
            {source?.kind === 'file'
              ? source.file.name
              : isOver
                ? 'Let go to choose it'
                : 'Drop an audio file'}
          </strong>
          <span class="hint">
            {source?.kind === 'file'
              ? formatBytes(source.file.size)
              : `MP3, WAV, FLAC, OGG, M4A and more${maxBytes === undefined ? '' : `, up to ${formatBytes(maxBytes)}`}`}
          </span>
        </div>
        <button
          type="button"
          class="button"
          aria-disabled={isDisabled}
          onClick={() => !isDisabled && input.current?.click()}
        >
          {source?.kind === 'file' ? 'Choose another' : 'Choose a file'}
        </button>
        <input
          ref={input}
          class="visually-hidden"
          type="file"
          accept="audio/*,video/*,.flac,.ogg,.opus,.m4a,.aac,.mka"
          tabIndex={-1}
          aria-label="Audio file"
          disabled={isDisabled}
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </div>
      <div class="drop-url">
        <label for="source-url">
          <Icon name="link" size={16} /> or paste a link to one
        </label>
        <input
          id="source-url"
          type="url"
          inputMode="url"
          placeholder="https://example.com/episode.mp3"
          value={url}
          disabled={isDisabled}
          onInput={(event) => {
            const typed = event.currentTarget.value.trim();
            onChoose(typed === '' ? undefined : { kind: 'url', url: typed });
          }}
        />
      </div>
    </div>
  );
}
