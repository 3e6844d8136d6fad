/** SplitterService: inspects a source before a job is created from it, and draws a job's waveform. */

import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import type { ServiceImpl } from '@connectrpc/connect';
import type { OpenBucket } from './bucket/open-bucket.ts';
import { tryBucket } from './bucket/try-bucket.ts';
import { sizeInBucket } from './source/bucket-source.ts';
import { inspectSource } from './source/inspect-source.ts';
import { SourceError } from './source/source-error.ts';
import type { UploadedSources } from './source/uploaded-source.ts';
import type { Waveforms } from './waveform/waveforms.ts';

interface SplitterRpcDependencies {
  readonly egress: GuardedEgress;
  readonly uploads: UploadedSources;
  readonly waveforms: Waveforms;
  readonly openBucket: OpenBucket;
}

const CHECK_TIMEOUT_MS = 3_000;
const TEST_TIMEOUT_MS = 10_000;

export function createSplitterRpc({
  egress,
  uploads,
  waveforms,
  openBucket,
}: SplitterRpcDependencies): ServiceImpl<typeof SplitterService> {
  return {
    drawWaveform: (request, { signal }) => waveforms.draw(request, signal),

    async checkEndpoint({ accountId, endpoint }) {
      try {
        await egress.check(endpoint, { accountId, signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        if (error.failure === 'invalid-url' || error.failure === 'forbidden-address')
          throw new InvalidParamsError('endpoint', error.message);
      }
      return {};
    },

    async emptyFolder({ accountId, bucket: address, folder }, { signal }) {
      if (address === undefined) throw new InvalidParamsError('bucket', 'is required');
      using bucket = openBucket(address, accountId, signal);
      await bucket.deleteFolder(folder);
      return {};
    },

    async testBucket({ accountId, bucket: address }, context) {
      if (address === undefined) throw new InvalidParamsError('bucket', 'is required');
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TEST_TIMEOUT_MS)]);
      using bucket = openBucket(address, accountId, signal);
      return { checks: [...(await tryBucket(bucket, signal))] };
    },

    async inspectSource({ sourceUrl, uploadKey, accountId, sourceHeaders, sourceObject }) {
      try {
        if (uploadKey !== undefined) return { sizeBytes: BigInt(await uploads.sizeOf(uploadKey)) };
        // From a process of an earlier release, which does not name the account.
        if (uploads.keyOf(sourceUrl) !== undefined) return {};
        if (sourceObject?.bucket !== undefined) {
          const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
          using bucket = openBucket(sourceObject.bucket, accountId ?? '', signal);
          const size = await sizeInBucket(bucket, sourceObject.key);
          return size === undefined ? {} : { sizeBytes: BigInt(size) };
        }
        const { sizeBytes } = await inspectSource(egress, sourceUrl, { accountId, sourceHeaders });
        return sizeBytes === undefined ? {} : { sizeBytes: BigInt(sizeBytes) };
      } catch (error) {
        if (error instanceof SourceError) throw new InvalidParamsError('sourceUrl', error.message);
        throw error;
      }
    },
  };
}
