import { createStore } from './store.ts';
import { keepTheme, readTheme, showTheme, type Theme } from './theme-choice.ts';

export const theme = createStore<Theme>(readTheme());

export function applyTheme(): void {
  showTheme(theme.get());
}

export function chooseTheme(chosen: Theme): void {
  keepTheme(chosen);
  theme.set(chosen);
  applyTheme();
}
