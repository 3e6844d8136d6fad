/** Fields that a mode needs, or takes alone. Their names are those of the API. */
import type { INodeProperties } from 'n8n-workflow';

const shownWith = (splitMode: string) => ({
  displayOptions: { show: { operation: ['split'], splitMode: [splitMode] } },
});

export const modeProperties: INodeProperties[] = [
  {
    displayName: 'Cut',
    name: 'splitMode',
    type: 'options',
    default: 'duration',
    displayOptions: { show: { operation: ['split'] } },
    options: [
      { name: 'At Chapters', value: 'chapters' },
      { name: 'At Silences', value: 'silence' },
      { name: 'By Length', value: 'duration' },
      { name: 'Into Equal Parts', value: 'parts' },
      { name: 'Ranges or Points', value: 'ranges' },
      { name: 'Under a File Size', value: 'fileSize' },
    ],
  },
  {
    displayName: 'Segment Duration',
    name: 'segmentDuration',
    type: 'number',
    default: 600,
    description: 'Seconds per segment',
    ...shownWith('duration'),
  },
  {
    displayName: 'Max File Size (MiB)',
    name: 'maxFileSizeMiB',
    type: 'number',
    default: 25,
    typeOptions: { numberPrecision: 3 },
    description: 'Size of a segment at most, headers and tags included',
    ...shownWith('fileSize'),
  },
  {
    displayName: 'Parts',
    name: 'parts',
    type: 'number',
    default: 4,
    description: 'Number of segments of equal length',
    ...shownWith('parts'),
  },
  {
    displayName: 'Chapters',
    name: 'chapters',
    type: 'fixedCollection',
    typeOptions: { multipleValues: true },
    default: {},
    placeholder: 'Add Chapter',
    description: "In ascending order. Without any the source's own chapters count.",
    options: [
      {
        displayName: 'Chapter',
        name: 'values',
        values: [
          {
            displayName: 'Start Time',
            name: 'startTime',
            type: 'string',
            default: '0',
            description: 'Seconds, or [H:]M:SS[.mmm]',
          },
          { displayName: 'Title', name: 'title', type: 'string', default: '' },
        ],
      },
    ],
    ...shownWith('chapters'),
  },
  {
    displayName: 'Ranges',
    name: 'ranges',
    type: 'fixedCollection',
    typeOptions: { multipleValues: true },
    default: {},
    placeholder: 'Add Range',
    description: 'One segment each',
    options: [
      {
        displayName: 'Range',
        name: 'values',
        values: [
          {
            displayName: 'Start',
            name: 'start',
            type: 'string',
            default: '0',
            description: 'Seconds, or [H:]M:SS[.mmm]',
          },
          {
            displayName: 'End',
            name: 'end',
            type: 'string',
            default: '',
            description: 'Left empty, the end of the source',
          },
          { displayName: 'Title', name: 'title', type: 'string', default: '' },
        ],
      },
    ],
    ...shownWith('ranges'),
  },
  {
    displayName: 'Split Points',
    name: 'splitPoints',
    type: 'string',
    default: '',
    placeholder: '12:30, 45:00',
    description: 'Where to cut, with commas between them, in place of ranges',
    ...shownWith('ranges'),
  },
];
