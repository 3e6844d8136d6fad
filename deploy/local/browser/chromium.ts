/** The browser of the suite: Debian's, or the one that CHROMIUM_PATH names. npm downloads none. */
import type { Env } from '@audiosplit/chassis/env';
import { installPackages } from '../../engines/debian-packages.ts';
import type { Task } from '../../engines/engine.ts';
import { findExecutable } from '../../engines/executable.ts';
import { ProvisionError } from '../../engines/provision-error.ts';

/** As Debian and others name it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of its program. Throws ProvisionError where there is none and none can be brought in. */
export async function provideChromium(env: Env, task: Task): Promise<string> {
  const found = env.CHROMIUM_PATH || findChromium();
  if (found !== undefined) return found;
  await installPackages(['chromium'], 'Chromium', task);
  const installed = findChromium();
  if (installed !== undefined) return installed;
  throw new ProvisionError('there is no Chromium on the PATH: name one by CHROMIUM_PATH');
}

function findChromium(): string | undefined {
  return NAMES.map((name) => findExecutable(name)).find((path) => path !== undefined);
}
