import { render } from 'preact';
import { keepFocus } from '../src/state/focus.ts';
import { applyTheme } from '../src/state/theme.ts';
import { App } from './app.tsx';

applyTheme();
const root = document.getElementById('root');
if (root !== null) {
  keepFocus(root);
  render(<App />, root);
}
