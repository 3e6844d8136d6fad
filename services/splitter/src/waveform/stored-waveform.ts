/** Stores the waveform of a link's dry run where the jobs service expects it (`read-waveform.ts` there). */
import { Readable } from 'node:stream';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Waveform } from '@audiosplit/engine/waveform/peak-meter';
import { count } from '../metrics.ts';
import { encodeWaveform } from './waveform-data.ts';

/** Enough for 0.2 s of an hour per pixel; some 40 kB. */
export const MAX_PIXELS = 20_000;

/**
 * Undefined: there is no waveform, and the dry run continues without one. The job's prefix is deleted with
 * the dry run, or when its last attempt has failed.
 */
export async function storeWaveform(
  store: ObjectStore,
  jobId: string,
  waveform: Waveform | undefined,
  signal: AbortSignal,
): Promise<void> {
  const outcome = waveform === undefined ? 'left_out' : 'drawn';
  count('audiosplit_splitter_dry_run_waveforms_total', { outcome });
  if (waveform === undefined) return;
  const data = encodeWaveform(waveform);
  await store.put(`jobs/${jobId}/waveform.dat`, Readable.from([data]), {
    contentType: 'application/octet-stream',
    sizeBytes: data.length,
    signal,
  });
}
