import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planPieces, type SourceFacts } from './plan-pieces.ts';

// Covers C-2.7 C-2.8 C-4.12
test('mode silence has defaults', async () => {
  let options: Parameters<SourceFacts['silencePieces']>[1] | undefined;
  const facts: SourceFacts = {
    totalSeconds: 10,
    sizes: undefined,
    snap: () => assert.fail('nothing is snapped'),
    ownChapters: () => assert.fail('no chapters are read'),
    async silencePieces(span, given) {
      options = given;
      return [{ ...span, endKind: 'end' }];
    },
  };
  const pieces = await planPieces({ splitMode: 'silence' }, facts);
  assert.equal(pieces.length, 1);
  assert.deepEqual(options, { threshold: 'auto', minSilence: 0.5, minDuration: 1 });
});
