import type { Unit } from '../../cardano/transaction.ts';
import type { OfEndingVault } from '../evidence.ts';
import {
  gainOf,
  requireInputsAt,
  requireLovelaceLostAtMost,
  requireOperatorGainsNothing,
  requireOutputsAt,
  sumOf,
  type SigningRequest,
  assertAllowed,
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
  operatorPays(request, { vault: { custody, claims } }) {
    const { spent, operator, minAda } = request;
    const brought = sumOf(spent.filter(({ address }) => address !== operator)).lovelace;
    return countOutputsAt(request, claims) * minAda.ofToken + atLeastNothing(minAdaAt(request, [custody]) - brought);
  },
  evaluate(request, { vault, ftUnit, end }) {
    requireEnd(request, end);
    const { operator, transaction } = request;
    const { custody, liquidity, claims } = vault;
    requireInputsAt(request, [operator, custody, liquidity]);
    requireOutputsAt(request, [operator, custody, claims]);
    requireOperatorGainsNothing(request);
    const pots = countOutputsAt(request, claims);
    const gathered = gainOf(request, [claims]);
    assertAllowed(pots <= 1n + gathered.lovelace / LOVELACE_PER_OUTPUT, `it makes ${pots} outputs of the pot`);
    requireLovelaceLostAtMost(request, [custody, liquidity, claims], transaction.fee);
    const others = [...gathered.assets.keys()].filter((unit: Unit) => unit !== ftUnit);
    assertAllowed(others.length === 0, `${others.join()} moves to the pot`);
  },
};

function countOutputsAt({ transaction }: SigningRequest, at: string): bigint {
  return BigInt(transaction.outputs.filter(({ address }) => address === at).length);
}
