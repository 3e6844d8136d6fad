// The rules of `n8n-node lint`, which n8n requires of verified packages.
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import typescriptEslint from 'typescript-eslint';

const { recommended } = n8nCommunityNodesPlugin.configs;
const { community, credentials, nodes } = n8nNodesBase.configs;
const languageOptions = {
  parser: typescriptEslint.parser,
  parserOptions: { extraFileExtensions: ['.json'] },
};

export default [
  { ignores: ['dist'] },
  { ...recommended, files: ['**/*.ts', 'package.json'], languageOptions },
  { files: ['**/*.ts', 'package.json'], plugins: { 'n8n-nodes-base': n8nNodesBase } },
  {
    files: ['package.json'],
    rules: {
      ...community.rules,
      // All packages of this repository are Apache-2.0.
      'n8n-nodes-base/community-package-json-license-not-default': 'off',
    },
  },
  // The rules that `n8n-node lint` turns off, because they conflict with the newer rules.
  {
    files: ['credentials/**/*.ts'],
    rules: {
      ...credentials.rules,
      'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
      'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
    },
  },
  {
    files: ['nodes/**/*.ts'],
    rules: {
      ...nodes.rules,
      'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
      'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
      'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
    },
  },
];
