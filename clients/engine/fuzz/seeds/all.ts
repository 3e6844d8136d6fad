import { withParameter } from '../engine/fuzz-case.ts';
import { flacSeeds } from './flac.ts';
import { m4aSeeds } from './m4a.ts';
import { adtsSeeds, mp3Seeds } from './mpeg.ts';
import { opusSeeds, vorbisSeeds } from './ogg.ts';
import { wavSeeds } from './wav.ts';

/** In the order of the kinds of source that readers of whole files tell apart. */
const SEEDS_BY_KIND = [
  [mp3Seeds, adtsSeeds, wavSeeds],
  [flacSeeds],
  [m4aSeeds],
  [opusSeeds, vorbisSeeds],
] as const;

/** For what takes any format; `parameterOf` gives a case's parameter by the kind of its source. */
export function allSeeds(parameterOf: (kind: number) => number = () => 0): readonly Buffer[] {
  return SEEDS_BY_KIND.flatMap((group, kind) =>
    group.flatMap((seeds) => seeds()).map((seed) => withParameter(seed, parameterOf(kind))),
  );
}
