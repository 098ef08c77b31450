import type { OfVault } from '../evidence.ts';
import {
  gainOf,
  negated,
  requireAssetsGained,
  requireInputsAt,
  requireOperatorGainsNothing,
  requireOutputsAt,
  sumOf,
} from '../flows.ts';
import { type Judged, requireJust } from '../judged.ts';
import { atLeastNothing, minAda } from '../min-ada.ts';
import { lifetime, type Rule } from '../rule.ts';

/** What a vault has at addresses of before a rotation goes to its present ones, custody to custody; the operator pays for that. */
export const moveCustody: Rule<OfVault> = {
  keys: ['operator', 'vault'],
  mayCarry: ['datum'],
  lifetimeSeconds: lifetime.cosigned,
  operatorPays: raisedMinAda,
  judge(judged, { vault }) {
    const { operator } = judged;
    const { custody, liquidity, former } = vault;
    requireInputsAt(judged, [operator, ...former.custodies, ...former.liquidities]);
    requireOutputsAt(judged, [operator, custody, liquidity]);
    requireAssetsGained(judged, [custody], negated(gainOf(judged, former.custodies).assets));
    requireAssetsGained(judged, [liquidity], negated(gainOf(judged, former.liquidities).assets));
    requireOperatorGainsNothing(judged);
  },
};

/** Each output moves with what it holds; the operator adds what the ledger has come to ask for, where that is more. */
function raisedMinAda(judged: Judged): bigint {
  const { transaction, spent, operator } = judged;
  const isMoved = ({ address }: { readonly address: string }) => address !== operator;
  const outputs = transaction.outputs.filter(isMoved);
  const inputs = spent.filter(isMoved).toSorted((a, b) => Number(a.lovelace - b.lovelace));
  requireJust(outputs.length <= inputs.length, 'it divides what it moves');
  const smallest = outputs.filter((output) => output.lovelace <= minAda(judged, output));
  const needed = smallest.reduce((sum, output) => sum + minAda(judged, output), 0n);
  return atLeastNothing(needed - sumOf(inputs.slice(0, smallest.length)).lovelace);
}
