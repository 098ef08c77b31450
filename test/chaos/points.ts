import { transactionStates } from '../../src/transactions/rules.ts';
import { custodyKinds } from './cosign.ts';
import { kindsOf, lifeSteps } from './life-steps.ts';
import type { Traits } from './traits.ts';

/** When something is stopped at a point. */
export const moments = ['before its commit', 'after its commit', 'before it is sent', 'after it is sent'] as const;
export type Moment = (typeof moments)[number];

/** A place in the life of a vault: a change that is committed to Postgres, or a transaction that is sent to the ledger. */
export interface Point {
  /** As the trigger of `watch-points.ts` names it. */
  readonly change: string;
  readonly moment: Moment;
}

type IsMadeBy = (traits: Traits) => boolean;

const decides: IsMadeBy = ({ sale, ending }) => sale !== 'never' || ending === 'liquidated';
const rotates: IsMadeBy = (traits) => traits.rotates;
const always: IsMadeBy = () => true;

/**
 * What activities commit besides the states of transactions: of windows, prices, plans, vaults, proposals, what scans find, the end, and
 * rotations; each with the lives that make it, of those that are settled or beside a settled one.
 */
const decisions: readonly (readonly [string, IsMadeBy])[] = [
  ...['asset', 'investment'].map((kind) => [`${kind} window COMPLETED`, always] as const),
  ...['asset priced', 'settlement planned'].map((change) => [change, always] as const),
  ['unsolicited output found', ({ getsGift }) => getsGift],
  ...['ACTIVE', 'LOCKED', 'TERMINATED'].map((status) => [`vault ${status}`, always] as const),
  ...['PASSED', 'EXECUTED'].map((status) => [`proposal ${status}`, decides] as const),
  ...['termination begun', 'claims OPEN', 'claims OVER'].map((change) => [change, always] as const),
  ...['begun', 'changed', 'finished'].map((change) => [`rotation ${change}`, rotates] as const),
  ['stake reclaimed', ({ reclaimsStake }) => reclaimsStake],
  ['investment reclaimed', ({ ending }) => ending === 'settlement_deadline'],
];

const signals: readonly (readonly [string, IsMadeBy])[] = [
  ...['vault', 'tx'].map((workflow) => [`signal to ${workflow}`, always] as const),
  ...['proposal', 'anchor'].map((workflow) => [`signal to ${workflow}`, decides] as const),
];

const signedByWallets = new Set(['add_asset', 'invest', 'stake', 'unstake', 'execute', 'claim']);

/** Which lives have cosigners who sign this kind: the ADA of a sale is gathered from custody, and all else only if it lies there. */
function isCosigned(kind: string, { requiredCosigners, sale }: Traits): boolean {
  if (requiredCosigners === 0 || !custodyKinds.includes(kind)) return false;
  if (kind === 'gather_pot') return sale === 'before the end';
  return kind !== 'move_kept' && kind !== 'close_vault';
}

const allStates = (kind: string) =>
  transactionStates.filter((state) => state !== 'expired' && state !== 'failed').map((state) => `${kind} ${state}`);

/** Every change that these lives make, and every kind of signal that is sent for them. */
function changesOf(lives: readonly Traits[]): string[] {
  const isMade = ([, isMadeBy]: readonly [string, IsMadeBy]) => lives.some(isMadeBy);
  const isAwaited = (kind: string) =>
    signedByWallets.has(kind) || lives.some((traits) => isCosigned(kind, traits) && kindsOf([traits]).includes(kind));
  return [
    ...['create_vault', ...kindsOf(lives)].flatMap((kind) =>
      allStates(kind).filter((change) => isAwaited(kind) || !change.endsWith(' awaiting_signatures')),
    ),
    ...[...decisions, ...signals].filter(isMade).map(([change]) => change),
  ];
}

/** Every point of these lives, one of which is settled, at which something can be stopped. */
export function pointsOf(lives: readonly Traits[]): Point[] {
  return [
    ...changesOf(lives).flatMap((change) => [
      { change, moment: 'before its commit' } as const,
      { change, moment: 'after its commit' } as const,
    ]),
    ...['create_vault', ...kindsOf(lives)].flatMap((kind) => [
      { change: kind, moment: 'before it is sent' } as const,
      { change: kind, moment: 'after it is sent' } as const,
    ]),
  ];
}

const everyKind = ['create_vault', ...new Set(lifeSteps.flatMap(({ kinds }) => kinds))];
const everyChange = [...everyKind.flatMap(allStates), ...[...decisions, ...signals].map(([change]) => change)];

/** Number of a change, as the trigger and its locks know it. */
export const changeNumbers: ReadonlyMap<string, number> = new Map(
  everyChange.map((change, index) => [change, index + 1]),
);
