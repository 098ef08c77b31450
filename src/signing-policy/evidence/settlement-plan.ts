import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { blake2b256 } from '../../cardano/blake2b.ts';
import { paymentKeyHashOf } from '../../cardano/scripts/address.ts';
import { depositAddressOf } from '../../cardano/scripts/script-addresses.ts';
import { forgetOldest } from '../../platform/async/forget-oldest.ts';
import { mapInBatches } from '../../platform/async/map-in-batches.ts';
import type { PlannedShare } from '../../settlement/rules/owed-delivery.ts';
import { commitmentSteps, type SettlementPlan } from '../../settlement/rules/plan-commitment.ts';
import { runInSlices } from '../../platform/states/steps.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import { requireCommittedPlan } from '../committed-plan.ts';
import type { CommittedPlan, PlannedDeposit, PlannedDeposits } from '../evidence.ts';
import { requireJust } from '../judged.ts';
import { plannedShares } from '../../settlement/queries/owed-deliveries.ts';
import { reclaimedInvestments } from '../../investments/queries/settlement-sums.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { outputsMissing } from '../../ledger-follower/held-at.ts';
import { paidAddresses, spentOutputs } from '../../transactions/spent-outputs.ts';
import { committedTermsOf, landedMint, type MintContext } from './landed-mint.ts';
import type { SettledVault, VaultEvidence } from './vault-evidence.ts';
import type { EvidenceContext } from './evidence-context.ts';

/** The plan of a settlement as it is stored, without what a revision changed. */
async function storedPlan({ db }: Pick<EvidenceContext, 'db'>, { id, terms }: Vault): Promise<SettlementPlan> {
  return { terms: committedTermsOf(terms), shares: await plannedShares(db, id) };
}

/** Plans of 20,000 deposits take some 10 MB each. */
const MAX_REMEMBERED = 4;

const READ_AT_ONCE = 10;

/** What was found of the deposits in a vault's plan, by the vault: one activity may not have the time to find all. */
const remembered = new Map<string, Map<string, PlannedDeposit>>();

/**
 * The plan of a settlement that is to be minted, and its deposits. Throws LEDGER_UNAVAILABLE while one of them does not lie unspent at its
 * address: only the vault's key can move it before T.
 */
export async function plannedDeposits(
  context: EvidenceContext,
  { row, vault }: VaultEvidence,
): Promise<PlannedDeposits> {
  const plan = await storedPlan(context, row);
  const held = remembered.get(row.id) ?? new Map<string, PlannedDeposit>();
  remembered.set(row.id, held);
  forgetOldest(remembered, MAX_REMEMBERED);
  const unseen = plan.shares.filter(({ deposit }) => !held.has(refText(deposit)));
  const byOwner = [...Map.groupBy(unseen, ({ owner }) => owner)];
  await mapInBatches(byOwner, READ_AT_ONCE, async ([owner, theirs]) => {
    const { address } = depositAddressOf(vault, paymentKeyHashOf(owner), context.networkId);
    const outputs = new Map((await context.ledger.utxos(address)).map((output) => [refText(output), output]));
    const deposits = theirs.map(({ deposit }) => deposit);
    const paid = paidAddresses(await spentOutputs(context, deposits));
    for (const deposit of deposits) {
      const output = outputs.get(refText(deposit));
      if (!output) throw outputsMissing(address, [deposit]);
      held.set(refText(deposit), { ...output, paid: paid.get(deposit.txHash) ?? [] });
    }
  });
  return { plan, held };
}

type Verified = Omit<CommittedPlan, 'kept'>;

/** Plans that were found under a root, by that root: their bytes never change. */
const verified = new Map<string, Verified>();

/** The plan that the mint of a vault's token has committed to. Throws LEDGER_UNAVAILABLE. */
export async function committedPlan(context: MintContext, settled: SettledVault): Promise<CommittedPlan> {
  const committed = requireCommittedPlan(await landedMint(context, settled));
  const plan = await planUnder(context, settled.row, committed);
  return { ...plan, kept: plan.invested - (await reclaimedInvestments(context.db, settled.row.id)) };
}

async function planUnder(
  context: MintContext,
  row: Vault,
  { root }: ReturnType<typeof requireCommittedPlan>,
): Promise<Verified> {
  const key = String(root);
  const known = verified.get(key);
  if (known) return known;
  const stored = await storedPlan(context, row);
  const found = await runInSlices(commitmentSteps(blake2b256, stored), () => yieldToEventLoop());
  requireJust(found.root === root, 'the mint has committed to another plan');
  const shares = new Map(stored.shares.map((share): [string, PlannedShare] => [refText(share.deposit), share]));
  const sumOf = (amount: 'invested' | 'value') => stored.shares.reduce((sum, share) => sum + share[amount], 0n);
  const plan = { terms: stored.terms, shares, invested: sumOf('invested'), value: sumOf('value') };
  verified.set(key, plan);
  forgetOldest(verified, MAX_REMEMBERED);
  return plan;
}
