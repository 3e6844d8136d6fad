import { render } from 'preact';
import { App } from './app.tsx';
import { applyTheme } from './state/theme.ts';

applyTheme();
const root = document.getElementById('root');
if (root !== null) render(<App />, root);
