/** Where an engine thread begins. */
import { splitAudio } from '../media/split-audio.ts';
import { serveSplits } from './serve-splits.ts';

serveSplits(splitAudio);
