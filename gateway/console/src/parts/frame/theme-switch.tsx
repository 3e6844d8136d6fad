import { useStore } from '../../state/store.ts';
import { chooseTheme, theme } from '../../state/theme.ts';
import { THEME_LABELS, themeAfter, themeButtonLabel } from '../../state/theme-choice.ts';
import { Icon } from '../icons.tsx';

const ICONS = { system: 'auto', light: 'sun', dark: 'moon' } as const;

export function ThemeSwitch() {
  const chosen = useStore(theme);
  return (
    <button
      type="button"
      class="button button-quiet button-icon"
      onClick={() => chooseTheme(themeAfter(chosen))}
      aria-label={themeButtonLabel(chosen)}
      title={`Colours: ${THEME_LABELS[chosen]}`}
    >
      <Icon name={ICONS[chosen]} />
    </button>
  );
}
