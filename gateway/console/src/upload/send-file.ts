/** Sends a file to the service, from where it broke off if it was on its way in this browser before. */
import { ShownError } from '../api/failure.ts';
import { holdFile } from './held-files.ts';
import { type SendOptions, sendParts, UploadGoneError } from './send-parts.ts';
import {
  findUnfinished,
  forgetUnfinished,
  giveUpUpload,
  keepUnfinished,
  keyOf,
  type UploadLink,
} from './unfinished-uploads.ts';

interface FileOptions extends SendOptions {
  /** Reserves a place for the file. */
  readonly create: () => Promise<UploadLink>;
}

export interface SentFile {
  readonly sourceUrl: string;
  /** Once a job uses it, the same file is sent anew. */
  readonly forget: () => void;
}

/** Rejects with the signal's reason, a ShownError, or what `create` rejects with. What is stopped is given up. */
export async function sendFile(file: File, { create, ...options }: FileOptions): Promise<SentFile> {
  const { signal } = options;
  if (file.size === 0) throw new ShownError('INVALID_PARAMS', 'The file is empty.');
  return await holdFile(keyOf(file), async (key) => {
    const forget = () => {
      if (key !== undefined) forgetUnfinished(key);
    };
    const send = async (uploadUrl: string): Promise<SentFile> => {
      try {
        return { sourceUrl: await sendParts(file, uploadUrl, options), forget };
      } catch (error) {
        if (signal.aborted) giveUpUpload(uploadUrl);
        if (signal.aborted || error instanceof UploadGoneError) forget();
        throw error;
      }
    };

    const former = key === undefined ? undefined : findUnfinished(key);
    if (former !== undefined) {
      try {
        return await send(former.uploadUrl);
      } catch (error) {
        if (signal.aborted || !(error instanceof UploadGoneError)) throw error;
      }
    }
    const link = await create();
    if (key !== undefined) keepUnfinished(key, link);
    return await send(link.uploadUrl);
  });
}
