import {
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { isRegistered, register, unregister } from './endpoint.ts';
import { receive } from './receive.ts';

export class AudiosplitTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Audiosplit Trigger',
    name: 'audiosplitTrigger',
    icon: { light: 'file:../../icons/audiosplit.svg', dark: 'file:../../icons/audiosplit.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow when a split of the account has ended',
    defaults: { name: 'Audiosplit Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'audiosplitAccountApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        default: ['split.completed'],
        required: true,
        options: [
          { name: 'Split Completed', value: 'split.completed' },
          { name: 'Split Failed', value: 'split.failed' },
        ],
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return await isRegistered(this);
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await register(this);
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        await unregister(this);
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return await receive(this);
  }
}
