/** Entry module of an engine thread. */
import { splitAudio } from '@audiosplit/engine/split-audio';
import { serveSplits } from './serve-splits.ts';

serveSplits(splitAudio);
