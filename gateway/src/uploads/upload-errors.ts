import { formatBytes } from '@audiosplit/chassis/format-bytes';
import { ApiError } from '../http/errors/api-error.ts';

export function fileTooLarge(maxBytes: number): ApiError {
  return new ApiError('FILE_TOO_LARGE', `Your plan allows files of up to ${formatBytes(maxBytes)}.`);
}

export function longerThanAnnounced(announcedBytes: number): ApiError {
  return new ApiError('FILE_TOO_LARGE', `The file has more than the ${announcedBytes} bytes announced.`);
}

export function shorterThanAnnounced(bytes: number, announcedBytes: number): ApiError {
  return new ApiError(
    'INVALID_PARAMS',
    `The file has ${bytes} bytes instead of the ${announcedBytes} bytes announced.`,
  );
}

export function emptyFile(): ApiError {
  return new ApiError('INVALID_PARAMS', 'Send the file as the body of the request.');
}

export function uploadTooSlow(complaint: string): ApiError {
  return new ApiError(
    'UPLOAD_TIMEOUT',
    `The upload was ended, as ${complaint}: send the file again to the same link.`,
  );
}

/** For the log: the caller has disconnected. */
export function uploadBrokeOff(bytes: number): ApiError {
  return new ApiError('INVALID_PARAMS', `The upload broke off after ${bytes} bytes.`);
}
