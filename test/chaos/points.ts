import { transactionStates } from '../../src/domain/transaction/transaction-state.ts';
import { stepsOf } from './life-steps.ts';
import { usualLives } from './traits.ts';

/** When something is stopped at a point. */
export const moments = ['before its commit', 'after its commit', 'before it is sent', 'after it is sent'] as const;
export type Moment = (typeof moments)[number];

/** A place in the life of a vault: a change that is committed to Postgres, or a transaction that is sent to the ledger. */
export interface Point {
  /** As the trigger of `watch-points.ts` names it. */
  readonly change: string;
  readonly moment: Moment;
}

const kinds = ['create_vault', ...new Set(stepsOf(usualLives).flatMap((step) => step.kinds))];
const signedByWallets = new Set(['add_asset', 'invest', 'stake', 'unstake', 'execute', 'claim']);

/** What activities commit besides the states of transactions: of windows, prices, plans, vaults, proposals, what scans find, and the end. */
const decisions = [
  ...['asset', 'investment'].map((kind) => `${kind} window COMPLETED`),
  ...['asset priced', 'settlement planned', 'unsolicited output found'],
  ...['ACTIVE', 'LOCKED', 'TERMINATED'].map((status) => `vault ${status}`),
  ...['PASSED', 'EXECUTED'].map((status) => `proposal ${status}`),
  ...['termination begun', 'claims OPEN', 'claims OVER'],
];

/** Every change that a life makes, and every kind of signal that is sent. */
const changes = [
  ...kinds.flatMap((kind) =>
    transactionStates
      .filter((state) => state !== 'expired' && state !== 'failed')
      .filter((state) => state !== 'awaiting_signatures' || signedByWallets.has(kind))
      .map((state) => `${kind} ${state}`),
  ),
  ...decisions,
  ...['vault', 'tx', 'proposal', 'anchor'].map((workflow) => `signal to ${workflow}`),
];

/** Every point at which something can be stopped. */
export const points: readonly Point[] = [
  ...changes.flatMap((change) => [
    { change, moment: 'before its commit' } as const,
    { change, moment: 'after its commit' } as const,
  ]),
  ...kinds.flatMap((kind) => [
    { change: kind, moment: 'before it is sent' } as const,
    { change: kind, moment: 'after it is sent' } as const,
  ]),
];

/** Number of a change, as the trigger and its locks know it. */
export const changeNumbers: ReadonlyMap<string, number> = new Map(changes.map((change, index) => [change, index + 1]));
