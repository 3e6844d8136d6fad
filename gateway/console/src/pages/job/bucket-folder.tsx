import type { CompletedJob } from '../../api/client.ts';
import { folderOfSegments } from '../../audio/destination.ts';
import { CopyButton } from '../../parts/copy-button.tsx';

/** Where the segments lie in a bucket of the account. */
export function BucketFolder({ job: { segments, keepCopy } }: { readonly job: CompletedJob }) {
  const folder = folderOfSegments(segments);
  if (folder === undefined) return null;
  return (
    <div class="hint with-copy">
      <span>
        The segments lie in <code class="bucket-folder">{folder}</code>
        {keepCopy === false ? ', and nowhere else.' : '.'}
      </span>
      <CopyButton text={folder} what="the folder" />
    </div>
  );
}
