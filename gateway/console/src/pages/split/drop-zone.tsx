import { useEffect, useRef, useState } from 'preact/hooks';
import { type Chosen, chosenOf, filesOf, linksText, nameOf, readLinks } from '../../audio/chosen-source.ts';
import { formatBytes } from '../../format/format.ts';
import { Icon } from '../../parts/icons.tsx';
import { tell } from '../../state/announce.ts';

interface DropZoneProps {
  readonly source: Chosen | undefined;
  readonly isDisabled: boolean;
  readonly maxBytes: number | undefined;
  readonly onChoose: (source: Chosen | undefined) => void;
}

/** Of the field for links, which grows with them. */
const MAX_LINES_SHOWN = 6;

/** Files can be dropped anywhere on the page. The field is for everyone else. */
export function DropZone({ source, isDisabled, maxBytes, onChoose }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null | undefined) => {
    const chosen = chosenOf([...(files ?? [])].map((file) => ({ kind: 'file', file })));
    if (chosen === undefined || isDisabled) return;
    onChoose(chosen);
    tell(`${nameOf(chosen)} ${chosen.kind === 'batch' ? 'are' : 'is'} chosen.`);
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
      latest.current(event.dataTransfer?.files);
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

  const files = source === undefined ? [] : filesOf(source);
  const hasFiles = files.length > 0;
  return (
    <div class={isOver ? 'drop drop-over' : 'drop'}>
      <div class="drop-file">
        <span class="drop-icon">
          <Icon name={hasFiles ? 'wave' : 'upload'} size={28} />
        </span>
        <div class="drop-words">
          <strong>
            {hasFiles && source !== undefined
              ? nameOf(source)
              : isOver
                ? 'Drop it to choose it'
                : 'Drop an audio file'}
          </strong>
          <span class="hint">
            {hasFiles
              ? formatBytes(files.reduce((sum, { size }) => sum + size, 0))
              : `MP3, WAV, FLAC, OGG, M4A and more${maxBytes === undefined ? '' : `, up to ${formatBytes(maxBytes)}`}`}
          </span>
        </div>
        <button
          type="button"
          class="button"
          aria-disabled={isDisabled}
          onClick={() => !isDisabled && input.current?.click()}
        >
          {hasFiles ? 'Choose another' : 'Choose a file'}
        </button>
        <input
          ref={input}
          class="visually-hidden"
          type="file"
          multiple
          accept="audio/*,video/*,.flac,.ogg,.opus,.m4a,.aac,.mka"
          tabIndex={-1}
          aria-label="Audio file"
          disabled={isDisabled}
          onChange={(event) => {
            take(event.currentTarget.files);
            event.currentTarget.value = '';
          }}
        />
      </div>
      <LinksField source={source} isDisabled={isDisabled} onChoose={onChoose} />
    </div>
  );
}

function LinksField({ source, isDisabled, onChoose }: Omit<DropZoneProps, 'maxBytes'>) {
  const links = linksText(source);
  const [typed, setTyped] = useState(links);
  // The text has more than the links that it holds: an empty line that is about to be filled.
  useEffect(() => {
    if (links !== linksText(chosenOf(readLinks(typed)))) setTyped(links);
  }, [links]);
  return (
    <div class="drop-url">
      <label for="source-url">
        <Icon name="link" size={16} /> or paste a link to one
      </label>
      <textarea
        id="source-url"
        rows={Math.min(MAX_LINES_SHOWN, typed.split('\n').length)}
        inputMode="url"
        spellcheck={false}
        autocomplete="off"
        placeholder="https://example.com/episode.mp3"
        aria-describedby="source-url-hint"
        value={typed}
        disabled={isDisabled}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setTyped(value);
          onChoose(chosenOf(readLinks(value)));
        }}
      />
      <p class="hint" id="source-url-hint">
        Several files, or several links, one per line, become a batch.
      </p>
    </div>
  );
}
