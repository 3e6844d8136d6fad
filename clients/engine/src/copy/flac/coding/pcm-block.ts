/** Decoded samples: one array per channel, which may be longer than the block. */
export interface PcmBlock {
  readonly channels: readonly Int32Array[];
  readonly sampleCount: number;
}

/** Samples [from, to) of a block. */
export interface BlockSpan {
  readonly block: PcmBlock;
  readonly from: number;
  readonly to: number;
}

/** A copy of the samples from `from` on. */
export function samplesFrom({ channels, sampleCount }: PcmBlock, from: number): PcmBlock {
  return {
    channels: channels.map((samples) => samples.slice(from, sampleCount)),
    sampleCount: sampleCount - from,
  };
}

/** Two consecutive blocks of the same channels as one. */
export function joinBlocks(first: PcmBlock, second: PcmBlock): PcmBlock {
  const sampleCount = first.sampleCount + second.sampleCount;
  const channels = second.channels.map((samples, index) => {
    const joined = new Int32Array(sampleCount);
    joined.set((first.channels[index] ?? joined).subarray(0, first.sampleCount));
    joined.set(samples.subarray(0, second.sampleCount), first.sampleCount);
    return joined;
  });
  return { channels, sampleCount };
}
