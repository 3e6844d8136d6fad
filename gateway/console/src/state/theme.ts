import { createStore } from './store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'audiosplit.theme';

export const theme = createStore<Theme>(
  THEMES.find((each) => each === localStorage.getItem(STORED)) ?? 'system',
);

export function applyTheme(): void {
  const chosen = theme.get();
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(STORED, chosen);
  theme.set(chosen);
  applyTheme();
}
