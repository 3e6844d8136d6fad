import { MediaError } from '../../src/media-error.ts';
import { bytesToSniff, sniff } from '../../src/sniff/sniff.ts';
import { assertHolds } from '../engine/fuzz-target.ts';
import { anyOf } from '../grammars/any.ts';
import { words } from '../grammars/grammar.ts';
import { allSeeds } from '../seeds/all.ts';
import { cafSeeds } from '../seeds/caf.ts';
import { matroskaOpusSeeds } from '../seeds/matroska.ts';
import { parserTarget } from './parser-target.ts';

const MAGIC_NUMBERS = words(
  ...['caff', 'wvpk', '.snd', 'TTA1', 'FLV\u0001', 'FORM', 'AIFF', '#!AMR\n', '\u001aE\u00df\u00a3'],
  ...[
    'riff.\u0091\u00cf\u0011',
    '\u0000\u0000\u0001\u00ba',
    'G',
    '\u000b\u0077',
    '0&\u00b2u\u008ef\u00cf\u0011',
  ],
  ...['#EXTM3U', '<?xml', 'ffconcat', 'PK\u0003\u0004', 'AVI ', '\u00ef\u00bb\u00bf', '<html', '{"'],
);

export const SNIFF = parserTarget(
  'sniff',
  anyOf(MAGIC_NUMBERS),
  () => [...allSeeds(), ...matroskaOpusSeeds(), ...cafSeeds()],
  ({ source }) => {
    assertHolds(bytesToSniff(source.subarray(0, 10)) > 0, 'some bytes are needed');
    try {
      sniff(source);
    } catch (error) {
      if (!(error instanceof MediaError) || error.failure !== 'UNSUPPORTED_MEDIA') throw error;
    }
  },
);
