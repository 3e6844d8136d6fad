import { isKeptTag } from '../tags/kept-tags.ts';
import { findElement, readElements } from './ebml.ts';
import { TITLE } from './elements.ts';

const TAG = 0x7373;
const TARGETS = 0x63c0;
const TARGET_TYPE = 0x63ca;
const TARGET_TRACK_UID = 0x63c5;
const EDITION_UID = 0x63c9;
const CHAPTER_UID = 0x63c4;
const ATTACHMENT_UID = 0x63c6;
const SIMPLE_TAG = 0x67c8;
const TAG_NAME = 0x45a3;
const TAG_STRING = 0x4487;
/** Their target is a part of the whole. */
const PARTS = [TARGET_TYPE, EDITION_UID, CHAPTER_UID, ATTACHMENT_UID];

export interface MatroskaTag {
  readonly name: string;
  readonly value: string;
  /** The track that it describes; undefined: all tracks. */
  readonly trackUid: string | undefined;
}

export function readInfoTitle(info: Buffer): readonly MatroskaTag[] {
  const title = findElement(info, TITLE);
  return title === undefined ? [] : [{ name: 'title', value: title.toString(), trackUid: undefined }];
}

/** The tags of the whole file and of a track; by default those that segments carry. */
export function* readTags(tags: Buffer, isWanted = isKeptTag): Generator<MatroskaTag> {
  for (const { id, body } of readElements(tags)) {
    if (id !== TAG) continue;
    const targets = findElement(body, TARGETS) ?? Buffer.alloc(0);
    if (PARTS.some((part) => findElement(targets, part) !== undefined)) continue;
    const trackUid = findElement(targets, TARGET_TRACK_UID)?.toString('hex');
    for (const { id: child, body: simpleTag } of readElements(body)) {
      const name = child === SIMPLE_TAG ? findElement(simpleTag, TAG_NAME)?.toString() : undefined;
      if (name === undefined || !isWanted(name)) continue;
      const value = findElement(simpleTag, TAG_STRING);
      if (value !== undefined) yield { name, value: value.toString(), trackUid };
    }
  }
}

/** Those of the whole file first, then those of the track. */
export function tagsOf(
  tags: readonly MatroskaTag[],
  trackUid: string | undefined,
): readonly (readonly [name: string, value: string])[] {
  const ofWhole = tags.filter((tag) => tag.trackUid === undefined);
  const ofTrack = tags.filter((tag) => tag.trackUid !== undefined && tag.trackUid === trackUid);
  return [...ofWhole, ...ofTrack].map(({ name, value }) => [name, value]);
}
