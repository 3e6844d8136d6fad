import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from 'n8n-workflow';
import { BASE_URL, BASE_URL_EXPRESSION } from '../api/base-url.ts';

export class AudiosplitApi implements ICredentialType {
  name = 'audiosplitApi';
  displayName = 'Audiosplit API';
  icon: Icon = { light: 'file:../icons/audiosplit.svg', dark: 'file:../icons/audiosplit.dark.svg' };
  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-audiosplit';
  properties: INodeProperties[] = [
    BASE_URL,
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'With the scopes splits:read and splits:write',
    },
  ];
  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { 'X-API-Key': '={{$credentials.apiKey}}' } },
  };
  test: ICredentialTestRequest = {
    request: {
      baseURL: BASE_URL_EXPRESSION,
      url: '/api/v1/splits',
      qs: { limit: 1 },
    },
  };
}
