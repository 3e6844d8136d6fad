import type { ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';

interface PageStart {
  readonly KeyMarker?: string | undefined;
  readonly UploadIdMarker?: string | undefined;
}

/**
 * S3's unfinished multipart uploads below a prefix. `listPage` sends ListMultipartUploads with the prefix.
 */
export async function* multipartsBelow(
  prefix: string,
  listPage: (start: PageStart) => Promise<ListMultipartUploadsCommandOutput>,
): AsyncGenerator<{ readonly Key: string; readonly UploadId: string }> {
  let start: PageStart = {};
  for (;;) {
    const page = await listPage(start);
    for (const { Key, UploadId } of page.Uploads ?? []) {
      if (Key?.startsWith(prefix) && UploadId !== undefined) yield { Key, UploadId };
    }
    if (!page.IsTruncated) return;
    start = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
