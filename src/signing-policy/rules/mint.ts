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
  type SigningRequest,
  assertAllowed,
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
  operatorPays: (request) => lackingLovelace(request) + FLOAT_OUTPUTS * request.minAda.ofToken,
  evaluate(request, evidence) {
    const { vault, ftName, referenceName, supply, decimals, earlierMint } = evidence;
    const { transaction, operator } = request;
    const { policyKeyHash, settlesBySlot, settlement, custody } = vault;
    requireAsCreated(evidence);
    assertAllowed(earlierMint === null, `transaction ${earlierMint} has minted the tokens of this vault`);
    assertAllowed((transaction.ttlSlot ?? Infinity) <= settlesBySlot, 'it could land after T');
    requireInputsAt(request, [operator]);
    requireOutputsAt(request, [operator, settlement, custody]);
    const policyId = scriptHash(policyScript({ policyKeyHash, deadlineSlot: transaction.ttlSlot ?? 0 }));
    const [tokens, reference] = [new Map([[policyId + ftName, supply]]), new Map([[policyId + referenceName, 1n]])];
    assertAllowed(
      equalAssets(transaction.mint, new Map([...tokens, ...reference])),
      "it mints other tokens than the vault's",
    );
    requireAssetsGained(request, [settlement], tokens);
    const settled = transaction.outputs.filter(({ address }) => address === settlement);
    assertAllowed(settled.length === 1, 'it divides the settlement');
    requireAssetsGained(request, [custody], reference);
    requireOperatorGainsNothing(request);
    const described = transaction.outputs.find(({ assets }) => assets.has(policyId + referenceName));
    assertAllowed(
      described?.datum != null && decimalsIn(described.datum) === decimals,
      'its datum says other decimals',
    );
  },
  *evaluateMany(request, evidence) {
    yield* requireCommitted(request, evidence);
    yield* requirePlanned(request, evidence.vault, evidence);
    requireValuedAsPriced(evidence.plan.shares, evidence.counted);
  },
};

/** Throws unless the vault still has the custody and the terms with which it was created, whatever its rows have come to say. */
function requireAsCreated({ vault: { custody }, creation, terms }: MintEvidence): void {
  assertAllowed(creation.custody === custody, `its vault was created with the custody ${creation.custody}`);
  assertAllowed(creation.terms === terms, 'its vault was created with other terms');
}

function* requireCommitted(
  { transaction }: SigningRequest,
  { supply, plan }: Pick<MintEvidence, 'supply' | 'plan'>,
): Steps<void> {
  const committed = committedPlanOf(transaction);
  const { terms, root, shares } = yield* commitmentSteps(blake2b256, plan);
  assertAllowed(committed?.root === root && committed.shares === shares, 'it commits to another plan');
  assertAllowed(committed.terms === terms, 'it commits to other terms');
  assertAllowed(plan.terms.supply === supply, 'its plan divides another supply');
}
