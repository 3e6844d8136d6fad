/** Fields of a cut that the form has no field for. They stay as they are, from a job or a preset on. */
import type { Cut } from './cut.ts';

export type UnshownFields = Pick<Cut, 'silence' | 'snapToSilence' | 'encoding' | 'audioTrack'>;

const NAMES = {
  silence: 'more on silences',
  snapToSilence: 'what counts as a silence',
  encoding: 'encoding',
  audioTrack: 'audio track',
} as const satisfies Record<keyof UnshownFields, string>;

export function unshownFieldsOf({ silence, snapToSilence, encoding, audioTrack }: Cut): UnshownFields {
  const { minSilence: _typed, ...moreOnSilence } = silence ?? {};
  const { window, ...moreOnSnap } = snapToSilence ?? { window: 0 };
  return {
    ...(Object.keys(moreOnSilence).length === 0 ? {} : { silence: moreOnSilence }),
    ...(Object.keys(moreOnSnap).length === 0 ? {} : { snapToSilence: { window, ...moreOnSnap } }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(audioTrack === undefined ? {} : { audioTrack }),
  };
}

/** What is typed in the form wins. */
export function withUnshownFields(cut: Cut, unshown: UnshownFields): Cut {
  const { silence, snapToSilence, ...others } = unshown;
  return {
    ...cut,
    ...others,
    ...(silence !== undefined && cut.splitMode === 'silence'
      ? { silence: { ...silence, ...cut.silence } }
      : {}),
    ...(snapToSilence !== undefined && cut.snapToSilence !== undefined
      ? { snapToSilence: { ...snapToSilence, ...cut.snapToSilence } }
      : {}),
  };
}

/** In words, of those that are in the cut. */
export function namesOfUnshownFields(unshown: UnshownFields, cut: Cut | undefined): string[] {
  return Object.entries(NAMES)
    .filter(([name]) => name in unshown && cut !== undefined && name in cut)
    .map(([, words]) => words);
}
