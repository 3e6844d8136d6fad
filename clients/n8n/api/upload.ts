/** Uploads the file of an item that has no URL. */
import { type IDataObject, type IExecuteFunctions, NodeOperationError } from 'n8n-workflow';
import { callApi } from './call.ts';

/** Resolves with the `sourceUrl` of a job. */
export async function uploadBinary(
  context: IExecuteFunctions,
  property: string,
  itemIndex: number,
): Promise<string> {
  const { id, fileName, mimeType } = context.helpers.assertBinaryData(itemIndex, property);
  const node = context.getNode();
  // Large files lie in n8n's store, and go through as a stream.
  const stored = id === undefined ? undefined : await context.helpers.getBinaryMetadata(id);
  const inMemory =
    stored === undefined ? await context.helpers.getBinaryDataBuffer(itemIndex, property) : undefined;
  const size = stored?.fileSize ?? inMemory?.length ?? 0;
  if (size === 0) {
    const description = `The binary field “${property}” has 0 bytes.`;
    throw new NodeOperationError(node, 'The file is empty', { description, itemIndex });
  }
  const { uploadUrl, sourceUrl } = (await callApi(context, {
    credential: 'audiosplitApi',
    method: 'POST',
    path: '/uploads',
    body: { size, ...(fileName === undefined ? {} : { fileName }) } satisfies IDataObject,
    itemIndex,
  })) as { uploadUrl: string; sourceUrl: string };
  try {
    await context.helpers.httpRequest({
      method: 'PUT',
      url: uploadUrl,
      headers: { 'Content-Type': mimeType, 'Content-Length': size },
      body: inMemory ?? (await context.helpers.getBinaryStream(id as string)),
    });
  } catch (error) {
    const status = Object(error).httpCode ?? Object(error).response?.status ?? 'no answer';
    throw new NodeOperationError(node, `The file cannot be uploaded: ${status}`, { itemIndex });
  }
  return sourceUrl;
}
