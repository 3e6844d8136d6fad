import { MediaError } from '../media-error.ts';

export function segmentLimitUnreachable(): MediaError {
  return new MediaError(
    'SEGMENT_LIMIT_UNREACHABLE',
    'The maximum file size is too small to hold a header and one frame of this source.',
  );
}

export function unsupportedMedia(message: string): MediaError {
  return new MediaError('UNSUPPORTED_MEDIA', message);
}
