import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_PRESETS } from './built-in-presets.ts';
import { readCuts } from './read-cuts.ts';
import { cutForSpeech, SPEECH_SERVICE_IDS, SPEECH_SERVICES, type SpeechService } from './speech-services.ts';

for (const { id, request } of BUILT_IN_PRESETS) {
  test(`the preset ${id} is a request that the API accepts unchanged`, () => {
    assert.deepEqual(readCuts(request).request, request);
  });
}

for (const id of SPEECH_SERVICE_IDS) {
  test(`segments for ${id} stay below its limits, and the figures have a source`, () => {
    const {
      maxFileSize,
      maxDuration = Number.POSITIVE_INFINITY,
      source,
    }: SpeechService = SPEECH_SERVICES[id];
    const cut = cutForSpeech(id);
    assert.ok((cut.maxFileSize ?? 0) < maxFileSize);
    assert.ok((cut.maxDuration ?? 0) < maxDuration);
    assert.equal(new URL(source).protocol, 'https:');
  });
}
