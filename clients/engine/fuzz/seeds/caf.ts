import { createCase } from '../engine/fuzz-case.ts';
import { ascii, big, FILLER_BYTES, times } from './bytes.ts';
import { OPUS_PACKET_SAMPLES, opusPacket } from './ogg.ts';

const PRIMING = 312;
const REMAINDER = 1_000;
const HEADER = Buffer.concat([ascii('caff'), big(2, 1, 0)]);

function chunk(type: string, body: Buffer, size = body.length): Buffer {
  return Buffer.concat([ascii(type), big(8, size), body]);
}

function description(): Buffer {
  const rate = Buffer.alloc(8);
  rate.writeDoubleBE(48_000);
  return chunk('desc', Buffer.concat([rate, ascii('opus'), big(4, 0, 0, OPUS_PACKET_SAMPLES, 1, 0)]));
}

export function cafSeeds(): readonly Buffer[] {
  const packets = times(40, opusPacket);
  const sizes = Buffer.from(packets.map((packet) => packet.length));
  const valid = packets.length * OPUS_PACKET_SAMPLES - PRIMING - REMAINDER;
  const table = chunk(
    'pakt',
    Buffer.concat([big(8, packets.length, valid), big(4, PRIMING, REMAINDER), sizes]),
  );
  const data = chunk('data', Buffer.concat([Buffer.alloc(4), ...packets]));
  const info = chunk('info', Buffer.concat([big(4, 1), ascii('title\0x\0')]));
  const filler = chunk('free', Buffer.alloc(1), FILLER_BYTES + 1);
  const fillerAt = HEADER.length + description().length + 12;
  return [
    createCase(Buffer.concat([HEADER, description(), info, table, data])),
    createCase(Buffer.concat([HEADER, description(), data, info, table])),
    createCase(Buffer.concat([HEADER, description(), filler, data, table]), {
      repeat: { at: fillerAt, byteCount: 1, times: FILLER_BYTES },
    }),
  ];
}
