import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { PublicFrame } from '../../parts/frame/public-frame.tsx';
import { Link } from '../../parts/link.tsx';

interface RecoveryCardProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Where to go from here. */
  readonly way?: { readonly to: string; readonly label: string };
}

const TO_SIGN_IN = { to: '/sign-in', label: 'Back to sign-in' };

/** A page that links of mails lead to. */
export function RecoveryCard({ title, children, way = TO_SIGN_IN }: RecoveryCardProps) {
  useEffect(() => {
    document.title = `${title} · audiosplit`;
  }, [title]);
  return (
    <PublicFrame>
      <main class="entry-main" id="main">
        <section class="card entry-card" aria-labelledby="entry-title">
          <h1 id="entry-title">{title}</h1>
          {children}
          <p class="entry-other">
            <Link to={way.to}>{way.label}</Link>
          </p>
        </section>
      </main>
    </PublicFrame>
  );
}

/** The token stands behind the #, so that it is in no log of a server. */
export function tokenHere(): string {
  return location.hash.slice(1);
}

export function CutOffLink() {
  return <p>The link is incomplete. Open it again from the mail.</p>;
}
