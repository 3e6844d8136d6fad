/** The request of a split, made of the node's parameters. What does not go together is left for the API to refuse. */
import { type IDataObject, type IExecuteFunctions, NodeOperationError } from 'n8n-workflow';
import { uploadBinary } from '../../api/upload.ts';
import { numberOrText, requestOfOptions } from './option-properties.ts';

const BYTES_PER_MIB = 1_048_576;

export async function splitRequest(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const parameter = (name: string) => context.getNodeParameter(name, itemIndex);
  const splitMode = parameter('splitMode') as string;
  const request = {
    splitMode,
    ...modeFields(splitMode, parameter),
    ...requestOfOptions(parameter('options') as IDataObject),
    ...additionalFields(context, itemIndex),
  };
  return { sourceUrl: await sourceUrl(context, itemIndex), ...request };
}

async function sourceUrl(context: IExecuteFunctions, itemIndex: number): Promise<string> {
  if (context.getNodeParameter('source', itemIndex) === 'url')
    return context.getNodeParameter('sourceUrl', itemIndex) as string;
  const property = context.getNodeParameter('binaryPropertyName', itemIndex) as string;
  return await uploadBinary(context, property, itemIndex);
}

function modeFields(splitMode: string, parameter: (name: string) => unknown): IDataObject {
  switch (splitMode) {
    case 'duration':
      return { segmentDuration: parameter('segmentDuration') as number };
    case 'fileSize':
      return { maxFileSize: Math.floor((parameter('maxFileSizeMiB') as number) * BYTES_PER_MIB) };
    case 'parts':
      return { parts: parameter('parts') as number };
    case 'chapters':
      return listed('chapters', rows(parameter('chapters')));
    case 'ranges':
      return {
        ...listed('ranges', rows(parameter('ranges'))),
        ...listed('splitPoints', points(parameter('splitPoints') as string)),
      };
    default:
      return {};
  }
}

function listed(name: string, list: readonly unknown[]): IDataObject {
  return list.length === 0 ? {} : { [name]: list as IDataObject[] };
}

/** Without empty fields. */
function rows(collection: unknown): IDataObject[] {
  const { values = [] } = collection as { values?: IDataObject[] };
  return values.map((row) => {
    const given = Object.entries(row).filter(([, value]) => value !== '');
    return Object.fromEntries(
      given.map(([name, value]) => [name, name === 'title' ? value : numberOrText(value)]),
    );
  }) as IDataObject[];
}

function points(text: string): unknown[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map(numberOrText);
}

function additionalFields(context: IExecuteFunctions, itemIndex: number): IDataObject {
  const given = context.getNodeParameter('additionalFields', itemIndex) as string | IDataObject;
  if (typeof given !== 'string') return given;
  try {
    const fields: unknown = JSON.parse(given === '' ? '{}' : given);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields as IDataObject;
  } catch {
    // Reported below.
  }
  throw new NodeOperationError(context.getNode(), '“Additional Fields” is not a JSON object', { itemIndex });
}
