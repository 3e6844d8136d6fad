/**
 * Reports to the auth service which keys were used, in the background.
 *
 * Collects the latest use per key and sends one call a second. A failed report is dropped with a warning: `lastUsedAt`
 * is only informative, and the next use updates it.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { messageOf } from '@audiosplit/chassis/errors';
import type { Logger } from '@audiosplit/chassis/process/log';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Services } from '../services.ts';

const REPORT_INTERVAL_MS = 1_000;

export interface KeyUseRecorder extends AsyncDisposable {
  record(keyId: string): void;
}

export function createKeyUseRecorder(auth: Services['auth'], clock: Clock, log: Logger): KeyUseRecorder {
  let usedAt = new Map<string, Date>();
  let reporting: Promise<void> = Promise.resolve();

  const report = async () => {
    if (usedAt.size === 0) return;
    const batch = usedAt;
    usedAt = new Map();
    try {
      await auth.recordKeyUse({
        uses: Array.from(batch, ([keyId, at]) => ({ keyId, usedAt: timestampFromDate(at) })),
      });
    } catch (error) {
      log.warn({ keys: batch.size }, `key uses were not recorded: ${messageOf(error)}`);
    }
  };
  const timer = setInterval(() => {
    reporting = reporting.then(report);
  }, REPORT_INTERVAL_MS);
  timer.unref();

  return {
    record: (keyId) => void usedAt.set(keyId, clock()),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await reporting.then(report);
    },
  };
}
