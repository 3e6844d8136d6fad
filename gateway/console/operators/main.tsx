import { render } from 'preact';
import { applyTheme } from '../src/state/theme.ts';
import { App } from './app.tsx';

applyTheme();
const root = document.getElementById('root');
if (root !== null) render(<App />, root);
