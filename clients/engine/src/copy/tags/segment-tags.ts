import type { CopyOptions, SegmentTags } from '../copy-contract.ts';

/** The tags that segment `index` is to have, as every format can hold them; undefined: those of the source, numbered. */
export function tagsAt(
  { tagsOf, withoutTags }: Pick<CopyOptions, 'tagsOf' | 'withoutTags'>,
  index: number,
): SegmentTags | undefined {
  const tags = withoutTags === true ? undefined : tagsOf?.(index);
  if (tags?.title === undefined) return tags;
  // A zero ends a text in most formats.
  const title = tags.title.toWellFormed().replaceAll('\0', ' ');
  return { ...tags, title: title === '' ? undefined : title };
}

/** What stands behind the source's title in a segment without a title of its own. */
export function titleSuffix(number: number): string {
  return ` (${number})`;
}
