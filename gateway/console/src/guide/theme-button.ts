import {
  keepTheme,
  readTheme,
  showTheme,
  type Theme,
  themeAfter,
  themeButtonLabel,
} from '../state/theme-choice.ts';

/** Applies the chosen theme and starts the theme button. */
export function startThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme');
  const show = (theme: Theme) => {
    showTheme(theme);
    if (button === null) return;
    button.textContent = theme;
    button.ariaLabel = themeButtonLabel(theme);
    button.hidden = false;
  };
  show(readTheme());
  button?.addEventListener('click', () => {
    const chosen = themeAfter(readTheme());
    keepTheme(chosen);
    show(chosen);
  });
}
