import type { CopyOptions, SegmentTags } from '../copy-contract.ts';

/**
 * The tags of segment `index` in a form that every format can hold; undefined: the source's tags, numbered.
 */
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

/** The suffix of the source's title in a segment without a title of its own. */
export function titleSuffix(number: number): string {
  return ` (${number})`;
}
