import type { INodeProperties } from 'n8n-workflow';
import { modeProperties } from './mode-properties.ts';
import { optionProperties } from './option-properties.ts';

const split = { operation: ['split'] };

export const properties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    default: 'split',
    options: [
      {
        name: 'Get Segments',
        value: 'getSegments',
        action: 'Get the segments of a job',
        description: 'Wait for the end of a job and get its segments with fresh links',
      },
      {
        name: 'Split Audio',
        value: 'split',
        action: 'Split audio',
        description: 'Cut audio into segments',
      },
    ],
  },
  {
    displayName: 'Job ID',
    name: 'jobId',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'job_…',
    displayOptions: { show: { operation: ['getSegments'] } },
  },
  {
    displayName: 'Source',
    name: 'source',
    type: 'options',
    default: 'url',
    displayOptions: { show: split },
    options: [
      { name: 'Binary Data', value: 'binary', description: 'A file of the input item' },
      { name: 'URL', value: 'url', description: 'An address from which it is fetched' },
    ],
  },
  {
    displayName: 'Source URL',
    name: 'sourceUrl',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'https://example.com/lecture.mp3',
    displayOptions: { show: { ...split, source: ['url'] } },
  },
  {
    displayName: 'Input Binary Field',
    name: 'binaryPropertyName',
    type: 'string',
    default: 'data',
    required: true,
    description: 'The name of the input field with the file',
    displayOptions: { show: { ...split, source: ['binary'] } },
  },
  ...modeProperties,
  optionProperties,
  {
    displayName: 'Additional Fields (JSON)',
    name: 'additionalFields',
    type: 'json',
    default: '{}',
    description: 'Any further fields of the API, such as metadata or sourceHeaders; they win',
    displayOptions: { show: split },
  },
  {
    displayName: 'Wait',
    name: 'wait',
    type: 'options',
    default: 'auto',
    displayOptions: { show: split },
    options: [
      {
        name: 'Automatic',
        value: 'auto',
        description:
          'By webhook where n8n has an https address, there is one item, and no files are downloaded; otherwise by polling',
      },
      { name: 'By Polling', value: 'polling', description: 'Read the job until it ends' },
      { name: 'By Webhook', value: 'webhook', description: 'The execution sleeps until it is notified' },
      { name: 'Do Not Wait', value: 'none', description: 'Output the job at once' },
    ],
  },
  {
    displayName: 'Time Limit (Minutes)',
    name: 'timeoutMinutes',
    type: 'number',
    default: 60,
    description: 'How long to wait for the end of the job',
    displayOptions: { hide: { wait: ['none'] } },
  },
  {
    displayName: 'Download Files',
    name: 'download',
    type: 'boolean',
    default: false,
    description: 'Whether to put the file of each segment into its item',
    displayOptions: { hide: { wait: ['none'] } },
  },
  {
    displayName: 'Put Output File in Field',
    name: 'outputBinaryField',
    type: 'string',
    default: 'data',
    required: true,
    description: 'The name of the output field for the file',
    displayOptions: { show: { download: [true] } },
  },
];
