import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../parts/icons.tsx';
import { announce } from '../../state/announce.ts';
import { useStore } from '../../state/store.ts';
import { heldKeys } from '../../upload/held-files.ts';
import { forgetUnfinished, giveUpUpload, unfinishedUploads } from '../../upload/unfinished-uploads.ts';

const NAMES_SHOWN = 3;

/** Files that broke off, as when the page was reloaded. A page cannot open them again by itself. */
export function UnfinishedUploads() {
  const all = useStore(unfinishedUploads);
  const [held, setHeld] = useState<ReadonlySet<string>>();
  useEffect(() => void heldKeys().then(setHeld), [all]);
  const broken = held === undefined ? [] : all.filter(({ key }) => !held.has(key));
  const giveUp = () => {
    for (const { key, uploadUrl } of broken) {
      giveUpUpload(uploadUrl);
      forgetUnfinished(key);
    }
    announce('The bytes sent so far are discarded.');
  };
  if (broken.length === 0) return null;
  const names = broken.slice(0, NAMES_SHOWN).map(({ fileName }) => fileName);
  const more = broken.length - names.length;
  return (
    <div class="notice notice-wait">
      <Icon name="upload" />
      <p>
        <strong>{names.join(', ')}</strong>
        {more > 0 && ` and ${more.toLocaleString('en')} more`}{' '}
        {broken.length === 1
          ? 'was being uploaded. Choose it again to continue where it stopped.'
          : 'were being uploaded. Choose them again to continue where they stopped.'}
      </p>
      <button type="button" class="button" onClick={giveUp}>
        Give up
      </button>
    </div>
  );
}
