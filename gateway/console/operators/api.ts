/**
 * The typed client of the operators' listener. Queries of the same moment share a request; mutations are sent alone,
 * and once.
 */
import type { OperatorsRouter } from '@audiosplit/gateway/operators/router';
import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCLink } from '@trpc/client';
import type { inferRouterOutputs } from '@trpc/server';
import { observable } from '@trpc/server/observable';
import { createStore } from '../src/state/store.ts';

type Outputs = inferRouterOutputs<OperatorsRouter>;
export type Queue = Outputs['jobs']['queue'];
export type StuckJob = Outputs['jobs']['stuck']['jobs'][number];
export type Workers = Outputs['jobs']['workers'];
export type BusQueue = Outputs['bus']['queues'][number];
export type Letter = Outputs['bus']['letters'][number];
export type FoundAccount = Outputs['accounts']['find']['accounts'][number];
export type Account = Outputs['accounts']['get'];
export type AccountInvoice = Account['invoices'][number];
export type AccountJob = Outputs['jobs']['ofAccount']['data'][number];
export type Act = Outputs['acts']['list']['acts'][number];
export type FigureRow = Account['figures'][number];
export type Mail = Outputs['mails']['list'][number];
export type Signed = Outputs['session']['get'];

/** Whether an operator is signed in. Only the listener knows: scripts cannot read the cookie. */
export const session = createStore<'unknown' | 'in' | 'out'>('unknown');

const url = '/trpc';
/** The listener's limit for one request. */
const MAX_BATCH = 8;

const detectSignOut: TRPCLink<OperatorsRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) =>
      next(op).subscribe({
        next: (value) => observer.next(value),
        complete: () => observer.complete(),
        error(error) {
          if (error.data?.code === 'UNAUTHORIZED') session.set('out');
          observer.error(error);
        },
      }),
    );

export const api = createTRPCClient<OperatorsRouter>({
  links: [
    detectSignOut,
    splitLink({
      condition: ({ type }) => type === 'mutation',
      true: httpLink({ url, headers: { 'x-audiosplit-console': '1' } }),
      false: httpBatchLink({ url, maxItems: MAX_BATCH }),
    }),
  ],
});
