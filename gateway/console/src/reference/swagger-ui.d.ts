declare module '@fastify/swagger-ui/static/swagger-ui-bundle.js' {
  type Component = (properties: Properties) => unknown;

  /** Properties of components, as far as used here. */
  interface Properties {
    readonly getComponent: (name: string, isContainer: boolean) => Component;
    readonly specSelectors: {
      specStr(): string | undefined;
      specJson(): { getIn(path: readonly string[]): { toJS(): readonly CodeSample[] } | undefined };
    };
    readonly text: string;
    /** Of an operation. */
    readonly path: string;
    readonly method: string;
  }

  interface CodeSample {
    readonly label: string;
    readonly source: string;
  }

  interface SwaggerSystem {
    readonly React: {
      createElement(type: string | Component, properties: object, ...children: unknown[]): unknown;
    };
  }

  /** Wraps components of the interface by name. */
  export type SwaggerPlugin = (system: SwaggerSystem) => {
    readonly components?: Readonly<Record<string, Component>>;
    /** Each is given the component that it takes the place of. */
    readonly wrapComponents: Readonly<Record<string, (original: Component) => Component>>;
  };

  interface SwaggerUi {
    (options: {
      readonly url: string;
      readonly domNode: Element;
      readonly deepLinking: boolean;
      readonly docExpansion: 'list' | 'full' | 'none';
      readonly validatorUrl: string | null;
      readonly persistAuthorization: boolean;
      readonly presets: readonly unknown[];
      readonly plugins: readonly SwaggerPlugin[];
    }): void;
    readonly presets: { readonly apis: unknown };
  }

  const SwaggerUIBundle: SwaggerUi;
  export default SwaggerUIBundle;
}
