/** Where a release goes, and what has to be there to get it there. */
import { IMAGE_NAMES, imageTag } from '../containers/product-images.ts';
import type { Kind } from './packed.ts';

export const NPM_REGISTRY = 'https://registry.npmjs.org/';
export const PYPI = 'https://upload.pypi.org/legacy/';
/** Stands for the registry of images and the chart where none is named. */
const UNNAMED = 'REGISTRY';

export interface Destinations {
  readonly of: Readonly<Record<Kind, string>>;
  /** As they are pulled. */
  readonly images: readonly string[];
}

export function destinationsOf(version: string, registry = UNNAMED): Destinations {
  const base = registry.replace(/\/$/, '');
  return {
    of: { npm: NPM_REGISTRY, wheel: PYPI, sdist: PYPI, chart: `oci://${base}/charts` },
    images: IMAGE_NAMES.map((name) => `${base}/${imageTag(name)}:${version}`),
  };
}

export interface Credentials {
  readonly npmToken: string;
  readonly pypiToken: string;
  /** HOST or HOST/PATH. */
  readonly registry: string;
}

interface Given {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registry: string | undefined;
  /** The text of Docker's config.json, where there is one. */
  readonly dockerConfig: string | undefined;
}

/** Or what is missing, a line each. */
export function readCredentials({ env, registry, dockerConfig }: Given): Credentials | readonly string[] {
  const { NPM_TOKEN: npmToken, PYPI_TOKEN: pypiToken } = env;
  const missing = [
    ...(npmToken ? [] : ['NPM_TOKEN, a token of npm that may publish']),
    ...(pypiToken ? [] : ['PYPI_TOKEN, a token of PyPI for the project audiosplit']),
    ...(registry
      ? findRegistryProblems(registry, dockerConfig)
      : ['--registry HOST/PATH, for images and the chart']),
  ];
  if (npmToken && pypiToken && registry && missing.length === 0) return { npmToken, pypiToken, registry };
  return missing;
}

function findRegistryProblems(registry: string, dockerConfig = '{}'): readonly string[] {
  const [host = ''] = registry.split('/');
  const {
    auths = {},
    credHelpers = {},
    credsStore,
  } = JSON.parse(dockerConfig) as {
    readonly auths?: object;
    readonly credHelpers?: object;
    readonly credsStore?: string;
  };
  const isSignedIn = host in auths || host in credHelpers || credsStore !== undefined;
  return isSignedIn ? [] : [`\`docker login ${host}\`, for images and the chart`];
}
