import { SETTINGS_BYTES } from './fuzz-case.ts';

/**
 * A smaller case of which `isSame` still holds: stretches of the source are left out, long ones first, then
 * settings are set to 0. Gives up after `maxTries` tries.
 */
export async function minimize(
  input: Buffer,
  isSame: (candidate: Buffer) => Promise<boolean>,
  maxTries: number,
): Promise<Buffer> {
  let best = input;
  let tries = 0;

  async function attempt(candidate: Buffer): Promise<boolean> {
    tries += 1;
    if (!(await isSame(candidate))) return false;
    best = candidate;
    return true;
  }

  let stretch = Math.ceil((best.length - SETTINGS_BYTES) / 2);
  while (stretch >= 1 && tries < maxTries) {
    for (let at = SETTINGS_BYTES; at < best.length && tries < maxTries; ) {
      const isLeftOut = await attempt(Buffer.concat([best.subarray(0, at), best.subarray(at + stretch)]));
      if (!isLeftOut) at += stretch;
    }
    stretch = stretch === 1 ? 0 : Math.ceil(stretch / 2);
  }
  for (let at = 0; at < Math.min(SETTINGS_BYTES, best.length); at++) {
    if (best[at] === 0 || tries >= maxTries) continue;
    const candidate = Buffer.from(best);
    candidate[at] = 0;
    await attempt(candidate);
  }
  return best;
}
