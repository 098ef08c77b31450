import type { Unit } from '../../cardano/transaction.ts';
import type { OfEndingVault } from '../evidence.ts';
import {
  gainOf,
  requireInputsAt,
  requireLovelaceLostAtMost,
  requireOperatorGainsNothing,
  requireOutputsAt,
  sumOf,
  type Judged,
  requireJust,
  lifetime,
  type Rule,
} from '../policy.ts';
import { atLeastNothing, minAdaAt } from '../min-ada.ts';
import { requireEnd } from './termination.ts';

/** An output of the pot for so much ADA, and one for less. */
const LOVELACE_PER_OUTPUT = 25_000_000n;

/** A vault that ends gathers what it shares at its claims address; other assets than its token stay in custody. */
export const gatherPot: Rule<OfEndingVault> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.cosigned,
  operatorPays(judged, { vault: { custody, claims } }) {
    const { spent, operator, minAda } = judged;
    const brought = sumOf(spent.filter(({ address }) => address !== operator)).lovelace;
    return countOutputsAt(judged, claims) * minAda.ofToken + atLeastNothing(minAdaAt(judged, [custody]) - brought);
  },
  judge(judged, { vault, ftUnit, end }) {
    requireEnd(judged, end);
    const { operator, transaction } = judged;
    const { custody, liquidity, claims } = vault;
    requireInputsAt(judged, [operator, custody, liquidity]);
    requireOutputsAt(judged, [operator, custody, claims]);
    requireOperatorGainsNothing(judged);
    const pots = countOutputsAt(judged, claims);
    const gathered = gainOf(judged, [claims]);
    requireJust(pots <= 1n + gathered.lovelace / LOVELACE_PER_OUTPUT, `it makes ${pots} outputs of the pot`);
    requireLovelaceLostAtMost(judged, [custody, liquidity, claims], transaction.fee);
    const others = [...gathered.assets.keys()].filter((unit: Unit) => unit !== ftUnit);
    requireJust(others.length === 0, `${others.join()} moves to the pot`);
  },
};

function countOutputsAt({ transaction }: Judged, at: string): bigint {
  return BigInt(transaction.outputs.filter(({ address }) => address === at).length);
}
