/** The suite's browser: Debian's, or the one that CHROMIUM_PATH names. npm downloads none. */
import type { Env } from '@audiosplit/chassis/process/env';
import { type Browser, chromium } from 'playwright-core';
import { ensureDebianProgram } from '../../deploy/provision/debian-program.ts';
import type { Task } from '../../deploy/provision/task.ts';

/** Chromium without windows: one with windows sometimes stops drawing a page while another page is used. */
const PROGRAM = 'chromium-headless-shell';
const CHROMIUM = { title: 'Chromium', names: [PROGRAM], packageName: PROGRAM };

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];

/** Ends with the stack. */
export async function openBrowser(stack: AsyncDisposableStack): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? PROGRAM;
  return stack.adopt(await chromium.launch({ executablePath, args: FLAGS }), (browser) => browser.close());
}

/** The path of its program. Throws ProvisionError if there is none and none can be installed. */
export async function provideChromium(env: Env, task: Task): Promise<string> {
  return env.CHROMIUM_PATH || (await ensureDebianProgram(CHROMIUM, task));
}
