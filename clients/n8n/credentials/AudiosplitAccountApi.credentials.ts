import type {
  IAuthenticateGeneric,
  ICredentialDataDecryptedObject,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  IHttpRequestHelper,
  INodeProperties,
} from 'n8n-workflow';
import { BASE_URL, BASE_URL_EXPRESSION, withoutEndSlash } from '../api/base-url.ts';

/** The endpoint of an account and its secret are beyond the scopes of any API key. */
export class AudiosplitAccountApi implements ICredentialType {
  name = 'audiosplitAccountApi';
  displayName = 'Audiosplit Account API';
  icon: Icon = { light: 'file:../icons/audiosplit.svg', dark: 'file:../icons/audiosplit.dark.svg' };
  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-audiosplit';
  properties: INodeProperties[] = [
    BASE_URL,
    {
      displayName: 'Email',
      name: 'email',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'name@email.com',
    },
    {
      displayName: 'Password',
      name: 'password',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'An account with a second factor cannot sign in from here',
    },
    {
      displayName: 'Access Token',
      name: 'accessToken',
      type: 'hidden',
      typeOptions: { expirable: true, password: true },
      default: '',
    },
  ];
  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.accessToken}}' } },
  };
  test: ICredentialTestRequest = {
    request: { baseURL: BASE_URL_EXPRESSION, url: '/api/v1/account' },
  };

  /** Called by n8n where there is no access token yet, and again where it has expired. */
  async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
    const { baseUrl, email, password } = credentials;
    const session = (await this.helpers.httpRequest({
      method: 'POST',
      url: `${withoutEndSlash(baseUrl)}/api/v1/auth/login`,
      body: { email, password },
      json: true,
    })) as { accessToken: string };
    return { accessToken: session.accessToken };
  }
}
