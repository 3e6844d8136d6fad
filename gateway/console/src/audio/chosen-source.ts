/** What a person wants to split. */
export type ChosenSource =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'url'; readonly url: string };

export function nameOf(source: ChosenSource): string {
  return source.kind === 'file' ? source.file.name : source.url;
}
