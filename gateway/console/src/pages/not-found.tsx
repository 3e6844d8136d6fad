import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Nothing here">
      <Empty
        title="There is no such page"
        action={
          <Link class="button button-primary" to="/">
            Split a file
          </Link>
        }
      >
        The address may be mistyped.
      </Empty>
    </Page>
  );
}
