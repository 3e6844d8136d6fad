import { type Static, Type } from 'typebox';
import { CLOSED } from './fields.ts';

const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;
/** Limit of the services. */
const MAX_PAGE = 1_000_000;

export const pageQueryFields = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 1, description: 'Which page, counted from 1.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_PAGE_SIZE,
      description: 'Rows to a page.',
    }),
  ),
};

export const PageQuery = Type.Object(pageQueryFields, CLOSED);

export const Pagination = Type.Object(
  {
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer({ description: 'Rows in all pages together.' }),
    totalPages: Type.Integer({ description: '0 when there are no rows.' }),
  },
  { $id: 'Pagination' },
);
export type Pagination = Static<typeof Pagination>;

export interface Page {
  readonly page: number;
  readonly limit: number;
}

export function pageOf(query: { readonly page?: number; readonly limit?: number }): Page {
  return { page: query.page ?? 1, limit: query.limit ?? DEFAULT_PAGE_SIZE };
}

export function toPagination({ page, limit }: Page, total: bigint): Pagination {
  return { page, limit, total: Number(total), totalPages: Math.ceil(Number(total) / limit) };
}
