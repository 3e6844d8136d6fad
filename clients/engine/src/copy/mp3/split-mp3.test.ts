import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../testing/fails-with.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { assertAnyChunks } from '../testing/any-chunks.ts';
import { encodedForSuite } from '../testing/encoded-sources.ts';
import { createSource, type SourceSpec } from '../testing/ffmpeg.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';
import { createMp3Splitter } from './split-mp3.ts';

const LAME = ['-c:a', 'libmp3lame'];
const SOURCES: Readonly<Record<string, SourceSpec>> = {
  'CBR stereo 44.1 kHz': {
    seconds: 7.3,
    sampleRateHz: 44_100,
    channelCount: 2,
    encode: [...LAME, '-b:a', '128k'],
    extension: 'mp3',
  },
  'VBR stereo 48 kHz': {
    seconds: 6.5,
    sampleRateHz: 48_000,
    channelCount: 2,
    encode: [...LAME, '-q:a', '2'],
    extension: 'mp3',
  },
  'CBR mono 44.1 kHz, low rate': {
    seconds: 6,
    sampleRateHz: 44_100,
    channelCount: 1,
    encode: [...LAME, '-b:a', '32k'],
    extension: 'mp3',
  },
  'MPEG-2 stereo 22.05 kHz VBR': {
    seconds: 6.04,
    sampleRateHz: 22_050,
    channelCount: 2,
    encode: [...LAME, '-q:a', '5'],
    extension: 'mp3',
  },
  'MPEG-2.5 mono 8 kHz': {
    seconds: 5.5,
    sampleRateHz: 8_000,
    channelCount: 1,
    encode: [...LAME, '-b:a', '8k'],
    extension: 'mp3',
  },
  'no info frame': {
    seconds: 5.2,
    sampleRateHz: 32_000,
    channelCount: 2,
    encode: [...LAME, '-b:a', '64k', '-write_xing', '0', '-id3v2_version', '0'],
    extension: 'mp3',
  },
};

describe('mp3 copy', () => {
  const encoded = encodedForSuite(SOURCES);

  for (const [name, spec] of Object.entries(SOURCES)) {
    test(`${name}: joined segments decode to the same audio as the source`, async () => {
      const source = encoded(name);
      const [whole = Buffer.alloc(0)] = await decodeAll([source], 'mp3', 'f32le');
      const bytesPerSample = 4 * spec.channelCount;
      const sampleCount = whole.length / bytesPerSample;

      for (const cut of [
        { mode: 'duration', segmentDurationSeconds: 2 },
        { mode: 'fileSize', maxFileSizeBytes: Math.ceil(source.length / 3) },
      ] as const) {
        const { result, segments, files } = await splitBuffer('mp3', source, cut);
        const decoded = await decodeAll(files, 'mp3', 'f32le');
        assert.deepEqual(
          decoded.map((pcm) => pcm.length / bytesPerSample),
          segments.map((segment) => segment.sampleCount),
        );
        assert.ok(Buffer.concat(decoded).equals(whole), `${cut.mode}: decoded samples differ`);
        assert.deepEqual(
          { ...result, segmentCount: segments.length > 1 },
          {
            segmentCount: true,
            sourceSampleCount: sampleCount,
            sourceSampleRateHz: spec.sampleRateHz,
            sourceSizeBytes: source.length,
          },
        );
        if (cut.mode === 'fileSize') {
          for (const file of files) assert.ok(file.length <= cut.maxFileSizeBytes);
        } else {
          for (const segment of segments.slice(0, -1))
            assert.equal(segment.sampleCount, 2 * spec.sampleRateHz);
        }
      }
    });
  }

  test('an exact multiple gives exactly that many segments, a short remainder joins the last', async () => {
    const exact = await splitBuffer('mp3', encoded('CBR mono 44.1 kHz, low rate'), {
      mode: 'duration',
      segmentDurationSeconds: 2,
    });
    assert.deepEqual(
      exact.segments.map((segment) => [segment.startSample, segment.sampleCount]),
      [
        [0, 88_200],
        [88_200, 88_200],
        [176_400, 88_200],
      ],
    );
    const remainder = await splitBuffer('mp3', encoded('MPEG-2 stereo 22.05 kHz VBR'), {
      mode: 'duration',
      segmentDurationSeconds: 3,
    });
    assert.deepEqual(
      remainder.segments.map((segment) => segment.sampleCount),
      [66_150, Math.round(3.04 * 22_050)],
    );
  });

  test('an info frame without a LAME tag is dropped, and its silence with it', async () => {
    const source = Buffer.from(encoded('CBR stereo 44.1 kHz'));
    source.write('XXXX', source.indexOf('Lavc', source.indexOf('Info')), 'latin1');
    const [whole = Buffer.alloc(0)] = await decodeAll([source], 'mp3', 'f32le');
    const { files, result } = await splitBuffer('mp3', source, {
      mode: 'duration',
      segmentDurationSeconds: 3,
    });
    assert.equal(result.sourceSampleCount, whole.length / 8);
    assert.ok(Buffer.concat(await decodeAll(files, 'mp3', 'f32le')).equals(whole));
  });

  test('a LAME tag whose frame contains it only up to the padding is used, with any padding', async () => {
    const audio = encoded('CBR stereo 44.1 kHz');
    const frames = audio.subarray(audio.indexOf(Buffer.from([0xff, 0xfb]), audio.indexOf('Info')));
    const source = Buffer.concat([
      shortInfoFrame(576, 0, audio.readUInt32BE(audio.indexOf('Info') + 8)),
      frames,
    ]);
    const [whole = Buffer.alloc(0)] = await decodeAll([source], 'mp3', 'f32le');
    const cut = { mode: 'duration', segmentDurationSeconds: 3 } as const;
    const { files, result } = await splitBuffer('mp3', source, cut);
    assert.equal(result.sourceSampleCount, source.readUInt32BE(source.indexOf('Xing') + 8) * 1152 - 1_105);
    assert.equal(result.sourceSampleCount, whole.length / 8);
    assert.ok(Buffer.concat(await decodeAll(files, 'mp3', 'f32le')).equals(whole));
  });

  test('tag and cover are added to every segment, trailing tags to none', async () => {
    const source = encoded('VBR stereo 48 kHz');
    const audio = source.subarray(10 + Number.parseInt(source.toString('hex', 9, 10), 16));
    const tag = id3v2(200_000);
    const ape = Buffer.concat([
      apeBlock(0xa0000000, 5_032),
      Buffer.alloc(5_000, 0xff),
      apeBlock(0x80000000, 5_032),
    ]);
    const id3v1 = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125, 0x20)]);
    const tagged = Buffer.concat([tag, audio, ape, id3v1]);
    const plain = await splitBuffer('mp3', source, { mode: 'duration', segmentDurationSeconds: 2 });
    const { files, result } = await splitBuffer('mp3', tagged, {
      mode: 'duration',
      segmentDurationSeconds: 2,
    });
    assert.equal(result.sourceSampleCount, plain.result.sourceSampleCount);
    for (const file of files) {
      assert.ok(file.subarray(0, tag.length).equals(tag));
      assert.equal(file.includes('APETAGEX'), false);
    }
    const limited = await splitBuffer('mp3', tagged, { mode: 'fileSize', maxFileSizeBytes: 65_536 });
    for (const file of limited.files) assert.equal(file.toString('latin1', 0, 3) === 'ID3', false);
  });

  test('chunk boundaries make no difference', async () => {
    const source = encoded('MPEG-2 stereo 22.05 kHz VBR');
    const cut = { mode: 'duration', segmentDurationSeconds: 1 } as const;
    await assertAnyChunks({ container: 'mp3', source, cut });
  });

  test('a truncated source keeps its existing audio', async () => {
    const source = encoded('CBR stereo 44.1 kHz');
    const truncated = source.subarray(0, Math.floor(source.length / 2));
    const [whole = Buffer.alloc(0)] = await decodeAll([truncated], 'mp3', 'f32le');
    const cut = { mode: 'duration', segmentDurationSeconds: 1 } as const;
    const { files, result } = await splitBuffer('mp3', truncated, cut);
    const joined = Buffer.concat(await decodeAll(files, 'mp3', 'f32le'));
    assert.equal(joined.length, result.sourceSampleCount * 8);
    assert.ok(joined.equals(whole.subarray(0, joined.length)));
    assert.ok(whole.length - joined.length <= 1152 * 8);
  });

  test('counts whole frames minus the stated delay, also if the frame count is missing', async () => {
    const source = encoded('CBR stereo 44.1 kHz');
    const cut = { mode: 'duration', segmentDurationSeconds: 2 } as const;
    const infoAt = Math.max(source.indexOf('Info'), source.indexOf('Xing'));
    const frameCount = source.readUInt32BE(infoAt + 8);
    const delaySamples = (source.readUIntBE(infoAt + 120 + 21, 3) >> 12) + 529;
    const noCount = Buffer.from(source);
    noCount.writeUInt32BE(0, infoAt + 8);
    const uncounted = await splitBuffer('mp3', noCount, cut);
    assert.equal(uncounted.result.sourceSampleCount, frameCount * 1152 - delaySamples);
    const cutOff = await splitBuffer('mp3', source.subarray(0, -100), cut);
    assert.equal(cutOff.result.sourceSampleCount, (frameCount - 1) * 1152 - delaySamples);
  });

  test('a little junk is dropped, much of it is rejected', async () => {
    const source = encoded('VBR stereo 48 kHz');
    const middle = Math.floor(source.length / 2);
    const cut = { mode: 'duration', segmentDurationSeconds: 2 } as const;
    const withJunk = (byteCount: number): Buffer =>
      Buffer.concat([source.subarray(0, middle), Buffer.alloc(byteCount, 0x55), source.subarray(middle)]);
    const { segments } = await splitBuffer('mp3', withJunk(200), cut);
    assert.equal(segments.length, 4);
    await assert.rejects(splitBuffer('mp3', withJunk(20_000), cut), CopyNotPossibleError);
    const mixed = Buffer.concat([source, encoded('no info frame')]);
    await assert.rejects(splitBuffer('mp3', mixed, cut), CopyNotPossibleError);
  });

  test('a source that is not mp3 is rejected', async () => {
    const cut = { mode: 'duration', segmentDurationSeconds: 2 } as const;
    let state = 1;
    const noise = Uint8Array.from({ length: 400_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 16;
    });
    const bomb = Buffer.from('ID3\x03\0\0\x7f\x7f\x7f\x7fnothing', 'latin1');
    for (const source of [Buffer.alloc(0), Buffer.alloc(1), Buffer.alloc(2_000_000), noise, bomb]) {
      await assert.rejects(splitBuffer('mp3', source, cut), failsWith('UNSUPPORTED_MEDIA'));
    }
  });

  test('limits: bytes, source length', async () => {
    const source = encoded('CBR stereo 44.1 kHz');
    await assert.rejects(
      splitBuffer('mp3', source, { mode: 'fileSize', maxFileSizeBytes: 500 }),
      failsWith('SEGMENT_LIMIT_UNREACHABLE'),
    );
    const cut = { mode: 'duration', segmentDurationSeconds: 2 } as const;
    await splitBuffer('mp3', source, cut, { maxSourceDurationMs: 7_300 });
    await assert.rejects(
      splitBuffer('mp3', source, cut, { maxSourceDurationMs: 7_299 }),
      failsWith('QUOTA_EXCEEDED'),
    );
  });

  test('an abort leaves no unfinished file', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const chunkBytes = (index: number): number => {
      if (index === 50) controller.abort(reason);
      return 1_000;
    };
    const cut = { mode: 'duration', segmentDurationSeconds: 2 } as const;
    const source = encoded('CBR stereo 44.1 kHz');
    await assert.rejects(splitBuffer('mp3', source, cut, { signal: controller.signal, chunkBytes }), reason);
  });
});

test('the lead-in of every segment is exact to the sample', async () => {
  const leadIn = 1_151;
  for (const name of ['VBR stereo 48 kHz', 'MPEG-2 stereo 22.05 kHz VBR', 'no info frame']) {
    const spec = SOURCES[name];
    assert.ok(spec !== undefined);
    const source = await createSource(spec);
    const [whole = Buffer.alloc(0)] = await decodeAll([source], 'mp3', 'f32le');
    const bytesPerSample = 4 * spec.channelCount;
    const split = createMp3Splitter({ leadIn: () => leadIn });
    const cut = { mode: 'duration', segmentDurationSeconds: 1.5 } as const;
    const { segments, files } = await splitBuffer('mp3', source, cut, { split });
    const decoded = await decodeAll(files, 'mp3', 'f32le');
    for (const [index, { startSample, sampleCount }] of segments.entries()) {
      const played = decoded[index] ?? Buffer.alloc(0);
      const expected = whole.subarray(0, (startSample + sampleCount) * bytesPerSample);
      assert.equal(played.length, (leadIn + sampleCount) * bytesPerSample, `${name}, segment ${index}`);
      // The samples before the first segment belong to no source.
      const compared = (sampleCount + (index === 0 ? 0 : leadIn)) * bytesPerSample;
      assert.ok(played.subarray(-compared).equals(expected.subarray(-compared)), `${name}, segment ${index}`);
    }
  }
});

function id3v2(bodyBytes: number): Buffer {
  const tag = Buffer.alloc(10 + bodyBytes, 0xff);
  tag.write('ID3\x03\0\0', 'latin1');
  for (let index = 0; index < 4; index++) tag[9 - index] = (bodyBytes >> (7 * index)) & 0x7f;
  return tag;
}

/**
 * As Lavf 55 writes it: no quality, and the smallest frame that contains the first 24 bytes of the LAME tag.
 */
function shortInfoFrame(delaySamples: number, paddingSamples: number, frameCount: number): Buffer {
  const frame = Buffer.alloc(182);
  frame.set([0xff, 0xfb, 0x40, 0x40]);
  frame.write('Xing', 36, 'latin1');
  frame.writeUInt32BE(0b111, 40);
  frame.writeUInt32BE(frameCount, 44);
  frame.write('Lavf55.12', 152, 'latin1');
  frame.writeUIntBE((delaySamples << 12) | paddingSamples, 173, 3);
  return frame;
}

function apeBlock(flags: number, sizeBytes: number): Buffer {
  const block = Buffer.alloc(32);
  block.write('APETAGEX', 'latin1');
  block.writeUInt32LE(2000, 8);
  block.writeUInt32LE(sizeBytes, 12);
  block.writeUInt32LE(flags, 20);
  return block;
}
