/** The address of the installation, as both credentials ask for it. */
import type { INodeProperties } from 'n8n-workflow';

export const BASE_URL: INodeProperties = {
  displayName: 'Base URL',
  name: 'baseUrl',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'https://audio.example.com',
  description: 'Of the installation, without /api/v1',
};

/** As an expression of n8n; like withoutEndSlash. */
export const BASE_URL_EXPRESSION = '={{$credentials.baseUrl.replace(/\\/+$/, "")}}';

export function withoutEndSlash(baseUrl: unknown): string {
  return String(baseUrl).replace(/\/+$/, '');
}
