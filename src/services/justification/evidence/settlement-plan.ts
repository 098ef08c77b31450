import { blake2b256 } from '../../../chain/blake2b.ts';
import { paymentKeyHashOf } from '../../../chain/scripts/address.ts';
import { depositAddressOf } from '../../../chain/scripts/script-addresses.ts';
import type { Utxo } from '../../../chain/transaction.ts';
import { forgetOldest } from '../../../domain/forget-oldest.ts';
import { mapInBatches } from '../../../domain/map-in-batches.ts';
import type { PlannedShare } from '../../../domain/settlement/owed-delivery.ts';
import { commitmentTo, type SettlementPlan } from '../../../domain/settlement/plan-commitment.ts';
import { refText } from '../../../domain/transaction/utxo-ref.ts';
import { committedPlanOf } from '../../../justification/committed-plan.ts';
import type { CommittedPlan, OfSettledVault, PlannedDeposits } from '../../../justification/evidence.ts';
import { requireJust } from '../../../justification/judged.ts';
import { plannedShares } from '../../../store/owed-deliveries.ts';
import { reclaimedInvestments } from '../../../store/settlement-sums.ts';
import type { Vault } from '../../../store/vaults.ts';
import { outputsMissing } from '../../ledger/held-at.ts';
import { committedTermsOf, landedMint, type MintContext } from './landed-mint.ts';
import type { VaultEvidence } from './vault-evidence.ts';
import type { EvidenceContext } from './evidence-context.ts';

/** The plan of a settlement as it is stored, without what a revision changed. */
async function storedPlan({ db }: Pick<EvidenceContext, 'db'>, { id, terms }: Vault): Promise<SettlementPlan> {
  return { terms: committedTermsOf(terms), shares: await plannedShares(db, id) };
}

/** Plans of 20,000 deposits take some 10 MB each. */
const MAX_REMEMBERED = 4;

const READ_AT_ONCE = 10;

/** What was found of a plan's deposits, by its root: one activity may not have the time to find all. */
const remembered = new Map<string, Map<string, Utxo>>();

/**
 * The plan of a settlement that is to be minted, and its deposits. Throws LEDGER_UNAVAILABLE while one of them does not lie unspent at its
 * address: only the vault's key can move it before T.
 */
export async function plannedDeposits(
  context: EvidenceContext,
  { row, vault }: VaultEvidence,
): Promise<PlannedDeposits> {
  const plan = await storedPlan(context, row);
  const { root } = commitmentTo(blake2b256, plan);
  const held = remembered.get(root) ?? new Map<string, Utxo>();
  remembered.set(root, held);
  forgetOldest(remembered, MAX_REMEMBERED);
  const unseen = plan.shares.filter(({ deposit }) => !held.has(refText(deposit)));
  const byOwner = [...Map.groupBy(unseen, ({ owner }) => owner)];
  await mapInBatches(byOwner, READ_AT_ONCE, async ([owner, theirs]) => {
    const { address } = depositAddressOf(vault, paymentKeyHashOf(owner), context.networkId);
    const outputs = new Map((await context.ledger.utxos(address)).map((output) => [refText(output), output]));
    for (const { deposit } of theirs) {
      const output = outputs.get(refText(deposit));
      if (!output) throw outputsMissing(address, [deposit]);
      held.set(refText(deposit), output);
    }
  });
  return { plan, held };
}

type Verified = Pick<CommittedPlan, 'terms' | 'shares'>;

/** Plans that were found under a root, by that root: their bytes never change. */
const verified = new Map<string, Verified>();

/** The plan that the mint of a vault's token has committed to; null for a mint of an earlier release. Throws LEDGER_UNAVAILABLE. */
export async function committedPlan(
  context: MintContext,
  settled: OfSettledVault & VaultEvidence,
): Promise<CommittedPlan | null> {
  const committed = committedPlanOf(await landedMint(context, settled));
  if (committed === null) return null;
  const plan = await planUnder(context, settled.row, committed);
  const invested = [...plan.shares.values()].reduce((sum, share) => sum + share.invested, 0n);
  return { ...plan, kept: invested - (await reclaimedInvestments(context.db, settled.row.id)) };
}

async function planUnder(
  context: MintContext,
  row: Vault,
  { root }: NonNullable<ReturnType<typeof committedPlanOf>>,
): Promise<Verified> {
  const key = String(root);
  const known = verified.get(key);
  if (known) return known;
  const stored = await storedPlan(context, row);
  requireJust(commitmentTo(blake2b256, stored).root === root, 'the mint has committed to another plan');
  const shares = new Map(stored.shares.map((share): [string, PlannedShare] => [refText(share.deposit), share]));
  const plan = { terms: stored.terms, shares };
  verified.set(key, plan);
  forgetOldest(verified, MAX_REMEMBERED);
  return plan;
}
