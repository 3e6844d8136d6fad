/** The theme chosen in this browser, for the console and the guide. */

const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'audiosplit.theme';

export function readTheme(): Theme {
  return THEMES.find((each) => each === localStorage.getItem(STORED)) ?? 'system';
}

export function keepTheme(chosen: Theme): void {
  localStorage.setItem(STORED, chosen);
}

export function showTheme(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

/** The next of three themes. */
export function themeAfter(chosen: Theme): Theme {
  return THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length] ?? 'system';
}

export const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: 'as the system',
  light: 'light',
  dark: 'dark',
};

export function themeButtonLabel(chosen: Theme): string {
  return `Colours: ${THEME_LABELS[chosen]}. Change to ${THEME_LABELS[themeAfter(chosen)]}.`;
}
