import { unitOf } from '../../assets/rules/asset.ts';
import { policyOf } from '../../assets/rules/unit.ts';
import type { LentEvidence } from '../evidence.ts';
import { requireJust } from '../judged.ts';
import { findTermination, type Termination } from '../../termination/queries/terminations.ts';
import { depositsInTransaction } from '../../transactions/queries/transaction-deposits.ts';
import { assetsById } from '../../assets/queries/vault-assets.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { EvidenceContext, Gather } from './evidence-context.ts';
import { gatherClaimsOver, landedGatherings } from './claims-over.ts';
import { gatherEnd } from './vault-end.ts';
import { gatherSettledVault } from './settled-vault.ts';

export const gatherPotEvidence: Gather<'gather_pot'> = async (context, recorded) => {
  const { vault, ftUnit, end } = await gatherEndingVault(context, recorded);
  return { vault, ftUnit, end };
};

export const gatherHandOver: Gather<'hand_over'> = async (context, recorded) => {
  const ending = await gatherEndingVault(context, recorded);
  const { row, vault, ftUnit, termination, end } = ending;
  const linked = await depositsInTransaction(context.db, recorded.id);
  const ids = linked.map(({ depositId }) => depositId);
  const assets = await assetsById(context.db, row.id, ids);
  requireJust(assets.length === ids.length && ids.length > 0, 'assets that it hands over are not recorded');
  const handed = assets.map((asset) => ({
    unit: unitOf(asset),
    quantity: asset.quantity,
    ...recipientOf(termination, asset.id),
  }));
  const given = new Set(termination.handedAssets.map(({ assetId }) => assetId));
  const isLeft = ids.some((id) => !given.has(id));
  const claims = isLeft ? await gatherClaimsOver(context, ending) : null;
  return { vault, ftUnit, end, handed, claims };
};

export const gatherRemainder: Gather<'pay_remainder'> = async (context, recorded) => {
  const ending = await gatherEndingVault(context, recorded);
  const { vault, ftUnit, termination, end } = ending;
  const { unclaimedLovelaceTo: recipient, pot, endedBecause } = termination;
  requireJust(recipient !== null, 'nobody was named for what is left');
  requireJust(endedBecause !== null, 'the claims are not over');
  const claims = await gatherClaimsOver(context, ending);
  return { vault, ftUnit, end, recipient, remainder: pot.lovelace, ...(await gatherLent(context, ending)), claims };
};

export const gatherClosing: Gather<'close_vault'> = async (context, recorded) => {
  const ending = await gatherEndingVault(context, recorded);
  const { row, vault, ftUnit, termination, end } = ending;
  requireJust(termination.endedBecause !== null, 'the claims are not over');
  return { vault, ftUnit, end, policies: [row.policyId, policyOf(ftUnit)], ...(await gatherLent(context, ending)) };
};

async function gatherEndingVault(context: EvidenceContext, recorded: ChainTransaction) {
  const settled = await gatherSettledVault(context, recorded);
  const termination = await findTermination(context.db, settled.row.id);
  requireJust(termination !== null, 'its vault does not end');
  return { ...settled, termination, end: await gatherEnd(context, settled, termination) };
}

/** What the operator lent by its row, and for how many outputs of the pot by the ledger. Throws LEDGER_UNAVAILABLE. */
async function gatherLent(
  context: EvidenceContext,
  ending: Awaited<ReturnType<typeof gatherEndingVault>>,
): Promise<LentEvidence> {
  const { float } = ending.termination;
  const gatherings = float === 0n ? [] : await landedGatherings(context, ending);
  return { float, pots: gatherings.reduce((sum, { pots }) => sum + pots, 0) };
}

function recipientOf({ handedAssets, remainingAssetsTo, endedBecause }: Termination, assetId: string) {
  const others = endedBecause === null ? null : remainingAssetsTo;
  const address = handedAssets.find((handed) => handed.assetId === assetId)?.address ?? others;
  requireJust(address !== null, `nobody was named for asset ${assetId}`);
  return { address };
}
