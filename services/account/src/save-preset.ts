import type { Clock } from '@audiosplit/chassis/clock';
import { NotFoundError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { PresetLimitReachedError } from './errors.ts';
import { MAX_PRESETS, type Preset } from './preset.ts';
import { isPurged, lockAccount } from './store/deletions.ts';
import { countOtherPresets, putPreset } from './store/presets.ts';

interface SavePresetDependencies {
  readonly pool: Pool;
  readonly clock: Clock;
}

/** Replaces the request of a preset of the same name. Throws NotFoundError, PresetLimitReachedError. */
export async function savePreset(
  { pool, clock }: SavePresetDependencies,
  accountId: string,
  { name, request }: Pick<Preset, 'name' | 'request'>,
): Promise<Preset> {
  return withTransaction(pool, async (db) => {
    await lockAccount(db, accountId);
    if (await isPurged(db, accountId)) throw new NotFoundError('The account');
    if ((await countOtherPresets(db, accountId, name)) >= MAX_PRESETS) throw new PresetLimitReachedError();
    const now = clock();
    return putPreset(db, accountId, { id: newId('pre', now), name, request, createdAt: now });
  });
}
