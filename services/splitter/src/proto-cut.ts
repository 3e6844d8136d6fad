import { type Cut, fromCutRequest, type PlannedCut } from '@audiosplit/engine/cuts/cut';
import { type Cut as ProtoCut, toCutRequest } from '@audiosplit/proto/cut';

/** Throws if the mode belongs to a newer version. */
export function fromProtoCut(cut: ProtoCut | undefined): Cut | PlannedCut {
  const request = toCutRequest(cut);
  if (request === undefined) throw new Error('no cut, or one that is not known to this version');
  return fromCutRequest(request);
}
