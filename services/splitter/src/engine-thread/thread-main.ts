/** Where an engine thread begins. */
import { splitAudio } from '@audiosplit/engine/split-audio';
import { serveSplits } from './serve-splits.ts';

serveSplits(splitAudio);
