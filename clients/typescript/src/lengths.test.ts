import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLengthSeconds, parseTimeSeconds } from './lengths.ts';

test('lengths are given in seconds, minutes, hours, or a combination', () => {
  const lengths: Record<string, number> = {
    '60': 60,
    '90s': 90,
    '0.5': 0.5,
    '.25s': 0.25,
    '500ms': 0.5,
    '5m': 300,
    '1h': 3_600,
    '1h30m': 5_400,
    '1m30s': 90,
    '1m1.5s': 61.5,
    '1H': 3_600,
  };
  for (const [text, seconds] of Object.entries(lengths)) {
    assert.equal(parseLengthSeconds(text), seconds, text);
  }
});

test('text that is not a length is undefined', () => {
  for (const text of ['', '1d', '-5', 's', '.', '1.', '5 m', '5m1h', '1.5m', '1e3', '1:30']) {
    assert.equal(parseLengthSeconds(text), undefined, text);
  }
});

test('times are clock times as in the API, or lengths', () => {
  const times: Record<string, number> = {
    '0:00': 0,
    '1:30': 90,
    '999:59': 59_999,
    '1:02:03.5': 3_723.5,
    '1:2:03': 3_723,
    '0:00.001': 0.001,
    '10m': 600,
    '12.25': 12.25,
  };
  for (const [text, seconds] of Object.entries(times)) assert.equal(parseTimeSeconds(text), seconds, text);
  for (const text of ['', ':30', '1:5', '1:60', '1:60:00', '1:00.0005', '1000:00', '1:00:00:00', '-1:00']) {
    assert.equal(parseTimeSeconds(text), undefined, text);
  }
});
