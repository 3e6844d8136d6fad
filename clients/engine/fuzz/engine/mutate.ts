import {
  type Anatomy,
  type Field,
  type Grammar,
  type Part,
  readField,
  writeField,
} from '../grammars/grammar.ts';
import { REPEAT_AT, REPEAT_BYTES_AT, REPEAT_COUNT_AT, SETTINGS_BYTES } from './fuzz-case.ts';
import type { Random } from './random.ts';

/**
 * Structure-aware mutation: fields are set to what hurts, parts are dropped, doubled, moved and taken from
 * elsewhere, bytes are flipped. Lengths that state what has grown or shrunk, and checksums, are put right most of
 * the time, so that mutants get past the first check as well as fail it.
 */
export interface Specimen {
  readonly bytes: Buffer;
  /** Of the source behind the settings. */
  readonly anatomy: Anatomy;
}

interface ChangeOptions {
  readonly anatomy: Anatomy;
  /** Lends parts. */
  readonly other: Specimen;
  readonly grammar: Grammar;
  readonly random: Random;
}

interface MutateOptions extends Omit<ChangeOptions, 'anatomy'> {
  readonly maxSourceBytes: number;
}

export function createSpecimen(bytes: Buffer, grammar: Grammar): Specimen {
  return { bytes, anatomy: grammar.describe(bytes.subarray(SETTINGS_BYTES)) };
}

/** Returns a new case. */
export function mutate(
  { bytes, anatomy }: Specimen,
  { other, grammar, random, maxSourceBytes }: MutateOptions,
): Buffer {
  const change = { anatomy, other, grammar, random };
  const settings = Buffer.from(bytes.subarray(0, SETTINGS_BYTES));
  let source: Buffer = Buffer.from(bytes.subarray(SETTINGS_BYTES));
  if (random.oneIn(3)) mutateSettings(settings, random);
  if (!random.oneIn(8)) {
    for (let left = 1 + random.below(4); left > 0; left--) changeInPlace(source, change);
  }
  if (random.oneIn(3)) source = restructure(source, change).subarray(0, maxSourceBytes);
  if (!random.oneIn(4)) grammar.repair(source);
  return Buffer.concat([settings, source]);
}

function mutateSettings(settings: Buffer, random: Random): void {
  if (!random.oneIn(4)) {
    settings.writeUInt8(random.below(256), random.below(REPEAT_AT));
    return;
  }
  switch (random.below(5)) {
    case 0:
      settings.writeUInt16LE(random.below(1024), REPEAT_AT);
      return;
    case 1:
      settings.writeUInt16LE(random.pick([0, 1, 2, 3, 4, 8, 72, random.below(2048)]), REPEAT_BYTES_AT);
      return;
    case 2:
      settings.writeUInt32LE(
        random.pick([0, 1, 3, 40, 1_000, 65_536 - random.below(1024), 262_144 - random.below(1024)]),
        REPEAT_COUNT_AT,
      );
      return;
    case 3: {
      const count = settings.readUInt32LE(REPEAT_COUNT_AT);
      settings.writeUInt32LE(Math.max(0, count + random.below(65) - 32), REPEAT_COUNT_AT);
      return;
    }
    default:
      settings.writeUInt16LE(random.below(65_536), SETTINGS_BYTES - 2);
  }
}

function changeInPlace(source: Buffer, { anatomy, grammar, random }: ChangeOptions): void {
  const field = randomOf(anatomy.fields, random);
  if (field !== undefined && !random.oneIn(3)) {
    writeField(source, field, hurtfulValue(source, field, random));
    return;
  }
  if (source.length === 0) return;
  const at = random.below(source.length);
  switch (random.below(4)) {
    case 0:
      source[at] = (source[at] ?? 0) ^ (1 << random.below(8));
      return;
    case 1:
      source[at] = random.pick([0, 1, 0x7f, 0x80, 0xfe, 0xff, random.below(256)]);
      return;
    case 2:
      source.fill(random.pick([0, 0xff, 0x20]), at, Math.min(source.length, at + 1 + random.below(16)));
      return;
    default: {
      const word = randomOf(grammar.words, random);
      const part = randomOf(anatomy.parts, random);
      word?.copy(source, part !== undefined && random.oneIn(2) ? part.start : at);
    }
  }
}

function hurtfulValue(source: Buffer, field: Field, random: Random): number {
  const value = readField(source, field);
  const bits = field.byteCount * (field.order === 'syncsafe' ? 7 : 8);
  const left = source.length - field.at;
  return random.pick([
    0,
    1,
    value + 1,
    value - 1,
    value + random.below(33) - 16,
    value * 2,
    Math.floor(value / 2),
    2 ** bits - 1,
    2 ** bits - 1 - random.below(32),
    2 ** (bits - 1),
    2 ** (bits - 1) - 1,
    left,
    left - field.byteCount,
    2 ** random.below(bits),
    random.below(2 ** Math.min(bits, 31)),
  ]);
}

/** Replaces one stretch of the source by another, either of which may be empty. */
function restructure(source: Buffer, { anatomy, other, grammar, random }: ChangeOptions): Buffer {
  const part = random.oneIn(4)
    ? randomPart(source, random)
    : (randomOf(anatomy.parts, random) ?? randomPart(source, random));
  const own = source.subarray(part.start, part.end);
  const lent = other.bytes.subarray(SETTINGS_BYTES);
  switch (random.below(7)) {
    case 0:
      return replaced(part, Buffer.alloc(0));
    case 1:
      return replaced({ start: part.end, end: part.end }, own);
    case 2:
      return source.subarray(0, random.oneIn(2) ? part.start : part.start + random.below(own.length + 1));
    case 3: {
      const target = randomOf(anatomy.parts, random) ?? randomPart(source, random);
      return replaced({ start: target.start, end: target.start }, own);
    }
    case 4: {
      const foreign = randomOf(other.anatomy.parts, random) ?? randomPart(lent, random);
      const end = random.oneIn(2) ? part.end : part.start;
      return replaced({ start: part.start, end }, lent.subarray(foreign.start, foreign.end));
    }
    case 5: {
      const foreign = randomOf(other.anatomy.parts, random) ?? randomPart(lent, random);
      return Buffer.concat([source.subarray(0, part.start), lent.subarray(foreign.start)]);
    }
    default: {
      const word = randomOf(grammar.words, random) ?? Buffer.alloc(0);
      const inserted = random.oneIn(2) ? word : Buffer.alloc(1 + random.below(40), random.below(256));
      return replaced({ start: part.start, end: part.start }, inserted);
    }
  }

  function replaced({ start, end }: Part, by: Uint8Array): Buffer {
    const grownBytes = by.length - (end - start);
    if (grownBytes !== 0 && random.oneIn(2)) {
      for (const field of anatomy.fields) {
        const { covers } = field;
        if (covers === undefined || covers.start > start || covers.end < end) continue;
        writeField(source, field, readField(source, field) + grownBytes);
      }
    }
    return Buffer.concat([source.subarray(0, start), by, source.subarray(end)]);
  }
}

function randomPart(source: Buffer, random: Random): Part {
  const start = random.below(source.length + 1);
  const longest = random.pick([1, 4, 64, source.length]);
  return { start, end: Math.min(source.length, start + random.below(longest + 1)) };
}

function randomOf<T>(values: readonly T[], random: Random): T | undefined {
  return values[random.below(values.length)];
}
