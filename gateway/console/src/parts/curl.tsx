import { CopyButton } from './copy-button.tsx';
import { Icon } from './icons.tsx';

export interface CurlCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the address of the installation. */
  readonly path: string;
  readonly credential: 'key' | 'token' | 'none';
  readonly body?: unknown;
  /** Further words of the command. */
  readonly more?: string;
}

/** What the page does here, as commands of a terminal. */
export function Curl({
  calls,
  label = 'Do this with curl',
}: {
  readonly calls: readonly CurlCall[];
  readonly label?: string;
}) {
  const text = calls.map(curlOf).join('\n\n');
  return (
    <details class="curl">
      <summary>
        <Icon name="terminal" size={16} />
        {label}
      </summary>
      <div class="curl-body">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
        <section class="curl-text" tabIndex={0} aria-label="Command">
          <pre>
            <code>{text}</code>
          </pre>
        </section>
        <CopyButton text={text} what="the command" />
      </div>
    </details>
  );
}

export function curlOf({ method = 'GET', path, credential, body, more }: CurlCall): string {
  const words = [`curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quote(location.origin + path)}`];
  if (credential === 'key') words.push('-H "X-API-Key: $AUDIOSPLIT_KEY"');
  if (credential === 'token') words.push('-H "Authorization: Bearer $ACCESS_TOKEN"');
  if (body !== undefined)
    words.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`);
  if (more !== undefined) words.push(more);
  return words.join(' \\\n  ');
}

/** Between single quotes a shell takes all but the single quote as it stands. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
