import { type CurlCall, curlCommand } from '../format/curl-command.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icons.tsx';

/** What the page does here, as commands of a terminal. */
export function Curl({
  calls,
  label = 'Do this with curl',
}: {
  readonly calls: readonly CurlCall[];
  readonly label?: string;
}) {
  const text = calls.map((call) => curlCommand(call, location.origin)).join('\n\n');
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
