import type { OutputFormat } from '../../src/formats/formats.ts';
import type { MediaFailure } from '../../src/media-error.ts';
import type { AudioSamples } from '../../src/testing/audio-samples.ts';
import type { Traps } from './traps.ts';

/** What hostile inputs are made from. */
export interface Material {
  /** Six seconds of stereo noise, encoded with ffmpeg output arguments; the name's ending tells the container. */
  audio(name: string, ...outputArgs: string[]): Promise<Buffer>;
  readonly samples: AudioSamples;
  readonly traps: Traps;
}

/** How a split may end: with a code, or with so many segments of 2 s at most. */
export type Outcome = MediaFailure | number;

type Outcomes = Outcome | readonly Outcome[];

/** The format that is asked for; `own` leaves it to the source, which is copied where it can be. */
export type Request = 'own' | Extract<OutputFormat, 'mp3' | 'wav'>;

export interface HostileInput {
  readonly name: string;
  readonly make: (material: Material) => Uint8Array | Promise<Uint8Array>;
  /**
   * One outcome for both routes, or each its own: the copy route reads what the engine parses itself, the other
   * what ffmpeg makes of it, which forgives other faults. Several where a source has no right answer, only harmless
   * ones, and builds of ffmpeg differ.
   */
  readonly ends: Outcomes | { readonly own: Outcomes; readonly converted: Outcomes };
}
