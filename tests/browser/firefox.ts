/** Debian's Firefox, or the one that FIREFOX_PATH names. npm downloads none. */
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { type Browser, firefox } from 'playwright-core';
import { ensureDebianProgram } from '../../deploy/provision/debian-program.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { openBidiBridge } from './bidi-bridge.ts';

const FIREFOX = { title: 'Firefox', names: ['firefox-esr', 'firefox'], packageName: 'firefox-esr' };
const PREFERENCES = {
  'media.autoplay.default': 0,
  // Without a sound card Firefox plays nothing.
  'media.cubeb.force_mock_context': true,
  'ui.prefersReducedMotion': 1,
};

/** Ends with the stack. Colour schemes cannot be chosen. */
export async function openFirefox(stack: AsyncDisposableStack): Promise<Browser> {
  const bridge = stack.use(await openBidiBridge());
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: join(import.meta.dirname, 'firefox.sh'),
    env: { FIREFOX_PATH: 'firefox-esr', ...process.env, BIDI_BRIDGE_URL: bridge.url },
    firefoxUserPrefs: PREFERENCES,
  });
  return stack.adopt(browser, (opened) => opened.close());
}

/** The path of its program. Throws ProvisionError if there is none and none can be installed. */
export async function provideFirefox(env: Env, task: Task): Promise<string> {
  return env.FIREFOX_PATH || (await ensureDebianProgram(FIREFOX, task));
}
