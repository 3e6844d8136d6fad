import { Page } from '../parts/frame/page.tsx';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/notices.tsx';

/** `home` names the first page. */
export function NotFoundPage({ home = 'Split a file' }: { readonly home?: string }) {
  return (
    <Page title="Nothing here">
      <Empty
        title="There is no such page"
        action={
          <Link class="button button-primary" to="/">
            {home}
          </Link>
        }
      >
        The address may be mistyped.
      </Empty>
    </Page>
  );
}
