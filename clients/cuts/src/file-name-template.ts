/** Templates of segment names, as requests contain them: text with placeholders in braces. */

export const FILE_NAME_PLACEHOLDERS = ['name', 'index', 'number', 'count', 'title', 'start'] as const;
export type FileNamePlaceholder = (typeof FILE_NAME_PLACEHOLDERS)[number];

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** The fault of a template; undefined if it is valid. */
export function checkFileNameTemplate(template: string): string | undefined {
  const known = FILE_NAME_PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  for (const [placeholder, name] of template.matchAll(PLACEHOLDER))
    if (!isPlaceholder(name)) return `has no placeholder ${placeholder}: there are ${known}`;
  const brace = /[{}]/.exec(template.replaceAll(PLACEHOLDER, ''))?.[0];
  return brace === undefined ? undefined : `has a lone ${brace}: braces stand around ${known} only`;
}

/** Replaces each placeholder with its value. Braces in values are text. */
export function fillFileNameTemplate(
  template: string,
  values: Readonly<Record<FileNamePlaceholder, string>>,
): string {
  return template.replaceAll(PLACEHOLDER, (text, name: string) =>
    isPlaceholder(name) ? values[name] : text,
  );
}

function isPlaceholder(name: string | undefined): name is FileNamePlaceholder {
  return FILE_NAME_PLACEHOLDERS.some((known) => known === name);
}
