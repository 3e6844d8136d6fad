/** Lists come in pages, which callers would rather not see. */
interface Page<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly page: number; readonly totalPages: number };
}

/** The most that the API gives at once. */
export const MAX_PAGE_ROWS = 100;

/** Reads a page when its first row is asked for. */
export async function* eachRow<Item>(
  readPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  for (let page = 1; ; page++) {
    const { data, pagination } = await readPage(page);
    yield* data;
    if (page >= pagination.totalPages) return;
  }
}
