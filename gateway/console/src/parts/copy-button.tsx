import { useState } from 'preact/hooks';
import { announce } from '../state/announce.ts';
import { writeClipboard } from './clipboard.ts';
import { Icon } from './icons.tsx';

const SHOWN_MS = 2_000;

interface CopyButtonProps {
  readonly text: string;
  /** What is copied: "the secret". */
  readonly what: string;
  readonly isProminent?: boolean;
  /** The picture alone. */
  readonly isCompact?: boolean;
}

export function CopyButton({ text, what, isProminent = false, isCompact = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await writeClipboard(text))) return announce(`Copy ${what} by hand: the browser refuses.`);
    setCopied(true);
    announce(`Copied ${what}.`);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class={`button ${isProminent ? 'button-primary' : 'button-quiet'}${isCompact ? ' button-icon' : ''}`}
      onClick={copy}
      aria-label={`Copy ${what}`}
      title={isCompact ? `Copy ${what}` : undefined}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={16} />
      {!isCompact && (
        <span class="steady">
          <span aria-hidden={isCopied}>Copy</span>
          <span aria-hidden={!isCopied}>Copied</span>
        </span>
      )}
    </button>
  );
}
