import { test } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { startBillingFixture } from '../billing.fixture.ts';
import { createSandboxProvider } from './sandbox.ts';

// Covers D-9.2
test('NOT_FOUND: moving the clock without the sandbox', async () => {
  await using fixture = await startBillingFixture({
    provider: { ...createSandboxProvider(), name: 'stripe' },
  });
  const now = timestampFromDate(new Date('2027-01-01T00:00:00Z'));
  const move = fixture.billing.setSandboxClock({ now }, fixture.actingFor(newId('acc')));
  await refusal(move, 'NOT_FOUND');
});
