/** Below what an operation takes: the samples of the description, the first of them open. */
import type { SwaggerPlugin } from '@fastify/swagger-ui/static/swagger-ui-bundle.js';

export const showSamples: SwaggerPlugin = ({ React }) => {
  const { createElement } = React;
  return {
    wrapComponents: {
      responses: (original) => (properties) => {
        const { specSelectors, path, method } = properties;
        const samples =
          specSelectors.specJson().getIn(['paths', path, method, 'x-codeSamples'])?.toJS() ?? [];
        return createElement(
          'div',
          {},
          createElement(
            'section',
            { className: 'samples', 'aria-label': `Samples of ${method.toUpperCase()} ${path}` },
            createElement('h4', {}, 'Samples'),
            ...samples.map(({ label, source }, position) =>
              createElement(
                'details',
                { open: position === 0 },
                createElement('summary', {}, label),
                createElement('pre', {}, createElement('code', {}, source)),
              ),
            ),
          ),
          createElement(original, properties),
        );
      },
    },
  };
};
