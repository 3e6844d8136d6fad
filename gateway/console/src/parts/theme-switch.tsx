import { useStore } from '../state/store.ts';
import { chooseTheme, THEMES, type Theme, theme } from '../state/theme.ts';
import { Icon } from './icons.tsx';

const LABELS: Record<Theme, string> = { system: 'as the system', light: 'light', dark: 'dark' };
const ICONS = { system: 'auto', light: 'sun', dark: 'moon' } as const;

/** One press for the next of three. */
export function ThemeSwitch() {
  const chosen = useStore(theme);
  const next = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length] ?? 'system';
  return (
    <button
      type="button"
      class="button button-quiet button-icon"
      onClick={() => chooseTheme(next)}
      aria-label={`Colours: ${LABELS[chosen]}. Change to ${LABELS[next]}.`}
      title={`Colours: ${LABELS[chosen]}`}
    >
      <Icon name={ICONS[chosen]} />
    </button>
  );
}
