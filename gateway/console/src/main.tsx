import { render } from 'preact';
import { App } from './app.tsx';
import { keepFocus } from './state/focus.ts';
import { applyTheme } from './state/theme.ts';

applyTheme();
const root = document.getElementById('root');
if (root !== null) {
  keepFocus(root);
  render(<App />, root);
}
