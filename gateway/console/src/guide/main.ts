/** The script of a guide page: theme and copy buttons. */
import { writeClipboard } from '../parts/clipboard.ts';
import { startThemeButton } from './theme-button.ts';
import './guide.css';

const TOAST_MS = 2_000;

startThemeButton();

// On a narrow screen the page list scrolls sideways.
document.querySelector('.guide-pages [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });

for (const button of document.querySelectorAll<HTMLButtonElement>('.copy')) {
  button.hidden = false;
  button.addEventListener('click', () => void copyCode(button));
}

async function copyCode(button: HTMLButtonElement): Promise<void> {
  const code = button.closest('figure')?.querySelector('code')?.textContent ?? '';
  const isCopied = await writeClipboard(code);
  tell(isCopied ? 'Copied.' : 'The browser refuses: copy it by hand.');
}

let silence: ReturnType<typeof setTimeout> | undefined;

function tell(text: string): void {
  const place = document.querySelector('#toast');
  if (place === null) return;
  place.textContent = text;
  place.classList.add('toast-visible');
  clearTimeout(silence);
  silence = setTimeout(() => place.classList.remove('toast-visible'), TOAST_MS);
}
