import { api, type Connection } from '../api/client.ts';
import { type Query, useQuery } from './query.ts';

/** The account's, by name. */
export function useConnections(): Query<readonly Connection[]> {
  return useQuery('connections', async () => (await api.connections.list.query()).data);
}
