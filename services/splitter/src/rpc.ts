/** SplitterService: a look at a source before a job is made of it. */

import type { GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import type { ServiceImpl } from '@connectrpc/connect';
import { inspectSource } from './source/inspect-source.ts';
import { SourceError } from './source/source-error.ts';
import type { UploadedSources } from './source/uploaded-source.ts';

interface SplitterRpcDependencies {
  readonly egress: GuardedEgress;
  readonly uploads: UploadedSources;
}

export function createSplitterRpc({
  egress,
  uploads,
}: SplitterRpcDependencies): ServiceImpl<typeof SplitterService> {
  return {
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
