/** The pages of the guide in reading order. */

export interface GuideSource {
  /** Path below /docs. The first page has none. */
  readonly slug: string;
  /** Path in the folder docs. */
  readonly file: string;
}

export const GUIDE_SOURCES: readonly GuideSource[] = [
  { slug: '', file: 'guide/quick-start.md' },
  { slug: 'cuts', file: 'guide/cuts.md' },
  { slug: 'sources', file: 'guide/sources.md' },
  { slug: 'buckets', file: 'guide/buckets.md' },
  { slug: 'speech-to-text', file: 'guide/speech-to-text.md' },
  { slug: 'podcasts', file: 'guide/podcasts.md' },
  { slug: 'audiobooks', file: 'guide/audiobooks.md' },
  { slug: 'uploads', file: 'guide/uploads.md' },
  { slug: 'batches', file: 'guide/batches.md' },
  { slug: 'accounts', file: 'guide/accounts.md' },
  { slug: 'command-line', file: 'guide/command-line.md' },
  { slug: 'python', file: 'guide/python.md' },
  { slug: 'typescript', file: 'guide/typescript.md' },
  { slug: 'own-machine', file: 'guide/own-machine.md' },
  { slug: 'agents', file: 'guide/agents.md' },
  { slug: 'n8n', file: 'guide/n8n.md' },
  { slug: 'webhooks', file: 'guide/webhooks.md' },
  { slug: 'errors', file: 'guide/errors.md' },
  { slug: 'limits', file: 'guide/limits.md' },
  { slug: 'billing', file: 'guide/billing.md' },
  { slug: 'error-codes', file: 'reference/errors.md' },
];

export function pathOf({ slug }: GuideSource): string {
  return slug === '' ? '/docs' : `/docs/${slug}`;
}
