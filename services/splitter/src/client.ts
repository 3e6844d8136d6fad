import type { Caller, RpcAddress } from '@audiosplit/chassis/rpc/client';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';

export function createSplitterClient(caller: Caller, address: RpcAddress) {
  return caller.client(SplitterService, address);
}
