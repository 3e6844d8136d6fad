import type { Cut } from './cut.ts';
import type { CutRule } from './cut-rule.ts';
import { cutByDuration } from './duration.ts';
import { cutByFileSize } from './file-size.ts';

export function createCutRule(cut: Cut): CutRule {
  switch (cut.mode) {
    case 'duration':
      return cutByDuration(cut.segmentDurationSeconds);
    case 'fileSize':
      return cutByFileSize(cut.maxFileSizeBytes);
    default:
      return cut satisfies never;
  }
}
