import { type Static, Type } from 'typebox';
import { CLOSED } from './fields.ts';

/** As many as a splitter draws. */
export const MAX_POINTS = 20_000;

export const WaveformQuery = Type.Object(
  {
    points: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_POINTS,
        default: 2_000,
        description: 'How many points there are at most, each a lowest and a highest value.',
      }),
    ),
  },
  CLOSED,
);

export const Waveform = Type.Object(
  {
    version: Type.Literal(2),
    channels: Type.Literal(1, { description: 'All channels are mixed to one.' }),
    sample_rate: Type.Integer({ description: 'Of the segments, in Hz.' }),
    samples_per_pixel: Type.Integer({
      description: 'Point n covers the recording from sample n × samples_per_pixel on.',
    }),
    bits: Type.Literal(8),
    length: Type.Integer({ description: 'The number of points.' }),
    data: Type.Array(Type.Integer(), {
      description:
        'The lowest and the highest sample of each point in turn, from -128 to 127. Where no segment lies they are 0.',
    }),
  },
  {
    $id: 'Waveform',
    description: "The JSON of BBC's audiowaveform, which peaks.js and wavesurfer.js read.",
  },
);
export type Waveform = Static<typeof Waveform>;

export const PendingWaveform = Type.Object(
  { status: Type.Literal('processing') },
  { $id: 'PendingWaveform', description: 'The waveform is being drawn.' },
);
