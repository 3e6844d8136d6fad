/** SplitterService: a look at a source before a job is made of it, and at the sound of a job's segments. */

import type { GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import type { ServiceImpl } from '@connectrpc/connect';
import { inspectSource } from './source/inspect-source.ts';
import { SourceError } from './source/source-error.ts';
import type { UploadedSources } from './source/uploaded-source.ts';
import type { Waveforms } from './waveform/waveforms.ts';

interface SplitterRpcDependencies {
  readonly egress: GuardedEgress;
  readonly uploads: UploadedSources;
  readonly waveforms: Waveforms;
}

export function createSplitterRpc({
  egress,
  uploads,
  waveforms,
}: SplitterRpcDependencies): ServiceImpl<typeof SplitterService> {
  return {
    drawWaveform: (request, { signal }) => waveforms.draw(request, signal),

    async inspectSource({ sourceUrl, uploadKey, accountId, sourceHeaders }) {
      try {
        if (uploadKey !== undefined) return { sizeBytes: BigInt(await uploads.sizeOf(uploadKey)) };
        // Of a process of an earlier release, which does not name the account.
        if (uploads.keyOf(sourceUrl) !== undefined) return {};
        const { sizeBytes } = await inspectSource(egress, sourceUrl, { accountId, sourceHeaders });
        return sizeBytes === undefined ? {} : { sizeBytes: BigInt(sizeBytes) };
      } catch (error) {
        if (error instanceof SourceError) throw new InvalidParamsError('sourceUrl', error.message);
        throw error;
      }
    },
  };
}
