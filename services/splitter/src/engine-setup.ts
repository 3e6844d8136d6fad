/** The engine's checks of its environment; the service refuses its configuration if one fails. */
import { ConfigError } from '@audiosplit/chassis/process/env';
import * as binary from '@audiosplit/engine/ffmpeg/binary';
import * as sandbox from '@audiosplit/engine/sandbox/find-sandbox';
import { SetupError } from '@audiosplit/engine/setup-error';

export const resolveFfmpegPath = orConfigError(binary.resolveFfmpegPath);
export const checkFfmpeg = orConfigError(binary.checkFfmpeg);
export const openSandbox = orConfigError(sandbox.openSandbox);

function orConfigError<A extends unknown[], T>(
  check: (...args: A) => Promise<T>,
): (...args: A) => Promise<T> {
  return async (...args) => {
    try {
      return await check(...args);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      throw new ConfigError(error.variable, error.value, error.allowed);
    }
  };
}
