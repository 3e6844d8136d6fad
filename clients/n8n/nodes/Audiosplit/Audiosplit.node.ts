import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { executeItems } from './execute.ts';
import { properties } from './properties.ts';
import { resume } from './resume.ts';

export class Audiosplit implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Audiosplit',
    name: 'audiosplit',
    icon: { light: 'file:../../icons/audiosplit.svg', dark: 'file:../../icons/audiosplit.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] === "split" ? "Split audio" : "Get segments" }}',
    description: 'Split audio by length, size, silences, chapters or ranges',
    defaults: { name: 'Audiosplit' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: true,
    credentials: [{ name: 'audiosplitApi', required: true }],
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        responseMode: 'onReceived',
        path: '',
        // Of the sleeping execution: it starts no new one.
        restartWebhook: true,
      },
    ],
    properties,
  };

  /** n8n itself opens and closes the address of a sleeping execution. */
  webhookMethods = {
    default: {
      checkExists: async () => true,
      create: async () => true,
      delete: async () => true,
    },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return [await executeItems(this)];
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return await resume(this);
  }
}
