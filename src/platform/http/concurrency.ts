import pLimit, { type LimitFunction } from 'p-limit';
import { ServiceError } from '../errors.ts';
import type { Client } from './client-address.ts';

/** How many requests run at a time, fewer than there are connections for them: the others stay free for whoever else asks. */
export interface Concurrency {
  readonly perClient: number;
  /** Of all clients of an IP address: wallets cost nothing. */
  readonly perAddress: number;
}

interface Limits extends Concurrency {
  /** Of a client. A queued request takes memory and a socket, nothing else. */
  readonly maxQueued: number;
  /** What a request that is refused would wait for. */
  readonly waitingFor: string;
}

/** Runs work when fewer than the limit run, in the order in which it was asked for, and settles as the work does. */
export type Limited = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The concurrency limit of a client. */
export type LimitOf = (client: Client) => Limited;

const unlimited: LimitOf = () => (work) => work();

/** Of ten connections. */
const SOME: Concurrency = { perClient: 4, perAddress: 6 };
/** Of two connections: reads of everything that a vault ever had. */
const ofReports: Limits = { perClient: 1, perAddress: 1, maxQueued: 5, waitingFor: 'earlier requests for statements' };

/**
 * Limits how many reads of a client, and of an IP address, run at a time, so that nobody alone keeps all connections busy. The others are
 * queued; with too many of a client in the queue, RATE_LIMIT_EXCEEDED is thrown.
 */
export function limitReads(limits: Partial<Limits> = {}): LimitOf {
  const { perClient, perAddress, maxQueued = 1_000, waitingFor = 'earlier reads' } = { ...SOME, ...limits };
  const clients = limitByName(perClient, maxQueued, waitingFor);
  const addresses = limitByName(perAddress, Infinity, waitingFor);
  return ({ name, ip }) =>
    (work) =>
      clients(name)(() => addresses(ip)(work));
}

/** The limits of a service, by what they limit. */
export type ConcurrencyLimits = Readonly<Record<'reads' | 'reports' | 'changes' | 'unlimited', LimitOf>>;

export const noLimits: ConcurrencyLimits = {
  reads: unlimited,
  reports: unlimited,
  changes: unlimited,
  unlimited,
};

/** The limits of a process; `concurrency` is of reads, and of changes. */
export function createConcurrencyLimits(concurrency?: Concurrency): ConcurrencyLimits {
  return {
    reads: limitReads(concurrency),
    reports: limitReads(ofReports),
    changes: limitChanges(concurrency),
    unlimited,
  };
}

/** As `limitReads`, for changes. They wait for the ledger, too, so that both together seldom take all connections. */
function limitChanges(limits: Partial<Limits> = {}): LimitOf {
  return limitReads({ waitingFor: 'earlier changes', ...limits });
}

function limitByName(concurrency: number, maxQueued: number, waitingFor: string) {
  /** Of each name with work under way: how much there is. */
  const known = new Map<string, { asked: number; readonly limit: LimitFunction }>();
  return (name: string): Limited =>
    async (work) => {
      const own = known.get(name) ?? { asked: 0, limit: pLimit(concurrency) };
      if (own.asked >= concurrency + maxQueued)
        throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1, waitingFor });
      own.asked += 1;
      known.set(name, own);
      try {
        return await own.limit(work);
      } finally {
        own.asked -= 1;
        if (own.asked === 0) known.delete(name);
      }
    };
}
