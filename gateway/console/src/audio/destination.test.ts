import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  describeDestination,
  folderOf,
  folderOfSegments,
  NO_DESTINATION,
  toDestination,
  toDestinationBody,
} from './destination.ts';

describe('the destination of a job', () => {
  test('is omitted from the call unless one is chosen', () => {
    assert.deepEqual(toDestinationBody(NO_DESTINATION), {});
    assert.deepEqual(toDestinationBody({ connection: '', prefix: 'a', keepsNoCopy: true }), {});
  });

  test('has a folder if one is typed; a copy is kept unless it is switched off', () => {
    const connection = 'archive';
    assert.deepEqual(toDestinationBody({ connection, prefix: ' ', keepsNoCopy: false }), {
      destination: { connection },
    });
    assert.deepEqual(toDestinationBody({ connection, prefix: ' segments/ ', keepsNoCopy: true }), {
      destination: { connection, prefix: 'segments/' },
      keepCopy: false,
    });
  });

  test('is read back unchanged from a job', () => {
    for (const chosen of [
      NO_DESTINATION,
      { connection: 'archive', prefix: '', keepsNoCopy: false },
      { connection: 'con_1', prefix: 'segments', keepsNoCopy: true },
    ])
      assert.deepEqual(toDestination(toDestinationBody(chosen)), chosen);
  });

  test('is described in words', () => {
    const destination = { connection: 'archive' };
    assert.equal(describeDestination({}), '');
    assert.equal(describeDestination({ destination }), 'into archive');
    assert.equal(
      describeDestination({ destination: { ...destination, prefix: 'segments/' }, keepCopy: false }),
      'into archive/segments alone',
    );
  });

  test('is one folder for all segments of a job', () => {
    assert.equal(folderOf({ bucket: 'audio' }), 's3://audio/');
    assert.equal(folderOf({ bucket: 'audio', prefix: 'incoming/' }), 's3://audio/incoming/');
    assert.equal(folderOfSegments([]), undefined);
    assert.equal(folderOfSegments([{ fileName: 'a-0.mp3' }]), undefined);
    assert.equal(
      folderOfSegments([{ fileName: 'a-0.mp3', location: 's3://audio/job_1/a-0.mp3' }]),
      's3://audio/job_1/',
    );
  });
});
