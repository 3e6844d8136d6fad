/** The registries of a release, and the credentials that they require. */
import { IMAGE_NAMES, imageTag } from '../containers/product-images.ts';
import type { Kind } from './packed.ts';

export const NPM_REGISTRY = 'https://registry.npmjs.org/';
export const PYPI = 'https://upload.pypi.org/legacy/';
/** Shown instead of the registry of images and the chart if none is named. */
const UNNAMED = 'REGISTRY';

export interface Destinations {
  readonly of: Readonly<Record<Kind, string>>;
  /** The names by which they are pulled. */
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
  /** For images and the chart: HOST or HOST/PATH. */
  readonly registry: string;
}

interface Given {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registry: string | undefined;
  /** The text of Docker's config.json; undefined if there is none. */
  readonly dockerConfig: string | undefined;
}

/** The credentials, or a line for each that is missing. */
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
