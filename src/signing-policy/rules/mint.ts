import { blake2b256 } from '../../cardano/blake2b.ts';
import { scriptHash } from '../../cardano/scripts/native-script.ts';
import { policyScript } from '../../cardano/scripts/vault-scripts.ts';
import { commitmentSteps } from '../../settlement/rules/plan-commitment.ts';
import type { Steps } from '../../platform/states.ts';
import { committedPlanOf } from '../mint.ts';
import { decimalsIn } from '../decoder.ts';
import type { MintEvidence } from '../evidence.ts';
import {
  equalAssets,
  requireAssetsGained,
  requireInputsAt,
  requireOperatorGainsNothing,
  requireOutputsAt,
  type Judged,
  requireJust,
  type Rule,
} from '../policy.ts';
import { lackingLovelace } from '../min-ada.ts';
import { requireValuedAsPriced, requirePlanned } from './settlement.ts';

/** The operator's float pays for so many outputs of the settlement. */
const FLOAT_OUTPUTS = 3n;

/**
 * The operator pays for the only mint of a vault's token: the whole supply goes to its settlement, the reference token to the custody with
 * which the vault was created. It commits to a plan that divides the supply as the vault's terms say.
 */
export const mint: Rule<MintEvidence> = {
  keys: ['operator', 'policy'],
  mayCarry: ['mint', 'datum', 'metadata'],
  lifetimeSeconds: 20 * 60,
  operatorPays: (judged) => lackingLovelace(judged) + FLOAT_OUTPUTS * judged.minAda.ofToken,
  judge(judged, evidence) {
    const { vault, ftName, referenceName, supply, decimals, earlierMint } = evidence;
    const { transaction, operator } = judged;
    const { policyKeyHash, settlesBySlot, settlement, custody } = vault;
    requireAsCreated(evidence);
    requireJust(earlierMint === null, `transaction ${earlierMint} has minted the tokens of this vault`);
    requireJust((transaction.ttlSlot ?? Infinity) <= settlesBySlot, 'it could land after T');
    requireInputsAt(judged, [operator]);
    requireOutputsAt(judged, [operator, settlement, custody]);
    const policyId = scriptHash(policyScript({ policyKeyHash, deadlineSlot: transaction.ttlSlot ?? 0 }));
    const [tokens, reference] = [new Map([[policyId + ftName, supply]]), new Map([[policyId + referenceName, 1n]])];
    requireJust(
      equalAssets(transaction.mint, new Map([...tokens, ...reference])),
      "it mints other tokens than the vault's",
    );
    requireAssetsGained(judged, [settlement], tokens);
    const settled = transaction.outputs.filter(({ address }) => address === settlement);
    requireJust(settled.length === 1, 'it divides the settlement');
    requireAssetsGained(judged, [custody], reference);
    requireOperatorGainsNothing(judged);
    const described = transaction.outputs.find(({ assets }) => assets.has(policyId + referenceName));
    requireJust(described?.datum != null && decimalsIn(described.datum) === decimals, 'its datum says other decimals');
  },
  *judgeMany(judged, evidence) {
    yield* requireCommitted(judged, evidence);
    yield* requirePlanned(judged, evidence.vault, evidence);
    requireValuedAsPriced(evidence.plan.shares, evidence.counted);
  },
};

/** Throws unless the vault still has the custody and the terms with which it was created, whatever its rows have come to say. */
function requireAsCreated({ vault: { custody }, creation, terms }: MintEvidence): void {
  requireJust(creation.custody === custody, `its vault was created with the custody ${creation.custody}`);
  requireJust(creation.terms === terms, 'its vault was created with other terms');
}

function* requireCommitted(
  { transaction }: Judged,
  { supply, plan }: Pick<MintEvidence, 'supply' | 'plan'>,
): Steps<void> {
  const committed = committedPlanOf(transaction);
  const { terms, root, shares } = yield* commitmentSteps(blake2b256, plan);
  requireJust(committed?.root === root && committed.shares === shares, 'it commits to another plan');
  requireJust(committed.terms === terms, 'it commits to other terms');
  requireJust(plan.terms.supply === supply, 'its plan divides another supply');
}
