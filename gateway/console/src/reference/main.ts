/**
 * The API reference: Swagger UI over /openapi.json, adapted to pass the checks that hold for every page. Its header and
 * its list of servers (there is one) are left out. Links inside its buttons become text, as assistive technology cannot
 * reach them; opening an operation still puts its address into the location.
 */
import SwaggerUIBundle, { type SwaggerPlugin } from '@fastify/swagger-ui/static/swagger-ui-bundle.js';
import '@fastify/swagger-ui/static/swagger-ui.css';
import { startThemeButton } from '../guide/theme-button.ts';
import { showSamples } from './samples.ts';
import './reference.css';

/** The page has a header of its own; what is left is laid out below headings that follow its title. */
const layOut: SwaggerPlugin = ({ React }) => ({
  components: {
    BaseLayout({ getComponent, specSelectors }) {
      const part = (name: string) => React.createElement(getComponent(name, true), {});
      const section = (title: string, ...names: readonly string[]) =>
        React.createElement('section', {}, React.createElement('h2', {}, title), ...names.map(part));
      if (!specSelectors.specStr()) return React.createElement('p', {}, 'Loading …');
      return React.createElement(
        'div',
        { className: 'swagger-ui' },
        part('errors'),
        part('AuthorizeBtnContainer'),
        section('Calls', 'operations', 'Models'),
        section('Notifications', 'Webhooks'),
      );
    },
    DeepLink: ({ text }) => React.createElement('span', {}, text),
  },
  wrapComponents: {
    // The words that it shows beside its choice become the name of that.
    ExamplesSelect: (original) => (properties) =>
      React.createElement('label', {}, React.createElement(original, { ...properties, showLabels: true })),
  },
});

startThemeButton();
const place = document.querySelector('#reference');
if (place === null) throw new Error('the page has no place for the reference');
SwaggerUIBundle({
  url: '/openapi.json',
  domNode: place,
  deepLinking: true,
  docExpansion: 'list',
  validatorUrl: null,
  persistAuthorization: true,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [layOut, showSamples],
});
