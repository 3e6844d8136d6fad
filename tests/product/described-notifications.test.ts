import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validatorCompiler } from '@audiosplit/gateway/http/input/validation';
import { NOTIFICATIONS } from '@audiosplit/gateway/schemas/notifications';
import {
  ExportFinishedSchema,
  SplitStatusChangedSchema,
  UsageThresholdSchema,
} from '@audiosplit/proto/events/v1/events';
import { exportNotification } from '@audiosplit/webhooks/notifications/export-notification';
import { pingNotification } from '@audiosplit/webhooks/notifications/ping';
import { splitNotification } from '@audiosplit/webhooks/notifications/split-notification';
import { usageNotification } from '@audiosplit/webhooks/notifications/usage-notification';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';

const AT = new Date('2027-03-14T09:30:00Z');
const at = timestampFromDate(AT);
const webhookUrl = 'https://example.org/hooks/audio';

const posted = [
  ...['processing', 'completed', 'failed'].map((status) =>
    splitNotification(
      create(SplitStatusChangedSchema, {
        jobId: 'job_1',
        status,
        splitMode: 'duration',
        segmentDurationSeconds: 60,
        outputFormat: 'mp3',
        createdAt: at,
        webhookUrl,
        metadataJson: '{"episode":7}',
        ...(status === 'completed' ? { completedAt: at, segmentCount: 3 } : {}),
        ...(status === 'failed' ? { errorCode: 'SOURCE_TIMEOUT', errorMessage: 'Too slow.' } : {}),
      }),
      AT,
    ),
  ),
  ...['completed', 'failed'].map((status) =>
    exportNotification(
      create(ExportFinishedSchema, {
        exportId: 'exp_1',
        status,
        format: 'json',
        webhookUrl,
        ...(status === 'completed' ? { expiresAt: at } : {}),
      }),
      AT,
    ),
  ),
  usageNotification(
    create(UsageThresholdSchema, {
      accountId: 'acc_1',
      metric: 'minutes',
      percent: 80,
      used: 400n,
      limit: 500n,
      periodStart: at,
      periodEnd: at,
    }),
    AT,
  ),
  pingNotification('dlv_1', AT),
];

test('the notifications sent to callers match the API description', () => {
  assert.deepEqual(
    posted.map((notification) => notification?.type),
    NOTIFICATIONS.map(({ type }) => type),
  );
  for (const [position, { type, body }] of NOTIFICATIONS.entries()) {
    const value: unknown = JSON.parse(posted[position]?.body ?? '');
    const validate = validatorCompiler({ schema: body, method: 'POST', url: '/', httpPart: 'body' });
    assert.deepEqual(validate(value), { value }, type);
  }
});
