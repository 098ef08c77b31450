import type { StakingTerms } from '../../../domain/proposal/effect.ts';
import type { ExecutionEvidence } from '../../evidence.ts';
import {
  gainOf,
  negated,
  requireAssetsGained,
  requireInputsAt,
  requireLovelaceLostAtMost,
  requireOperatorLends,
  requireOutputsAt,
} from '../../flows.ts';
import { type Judged, requireJust } from '../../judged.ts';

/** Assets move to one of the vault's staking addresses with little more than their min-ADA, or back to custody. */
export function judgeStaking(judged: Judged, evidence: ExecutionEvidence, terms: StakingTerms): void {
  const { stakingAddress, direction } = terms;
  requireJust(evidence.stakingAddresses.includes(stakingAddress), `the vault does not stake at ${stakingAddress}`);
  const most = BigInt(evidence.assets.size + 1) * judged.minAda.ofToken;
  // The holder returns the ADA that went with the assets: what the operator added would be the vault's.
  requireOperatorLends(judged, direction === 'out' ? most : 0n);
  if (direction === 'out') judgeOut(judged, evidence, stakingAddress, most);
  else judgeBack(judged, evidence, stakingAddress);
}

function judgeOut(judged: Judged, { vault, assets }: ExecutionEvidence, stakingAddress: string, most: bigint): void {
  requireInputsAt(judged, [judged.operator, vault.custody]);
  requireOutputsAt(judged, [judged.operator, vault.custody, stakingAddress]);
  requireAssetsGained(judged, [stakingAddress], assets);
  requireAssetsGained(judged, [vault.custody], negated(assets));
  const moved = gainOf(judged, [stakingAddress]).lovelace;
  requireJust(moved <= most, `${moved} lovelace leave with the assets, above ${most}`);
}

/** What else the holder has returns to the holder, who signs it. */
function judgeBack(judged: Judged, { vault, assets }: ExecutionEvidence, holder: string): void {
  const { operator, transaction } = judged;
  requireInputsAt(judged, [operator, vault.custody, holder]);
  requireOutputsAt(judged, [operator, vault.custody, holder]);
  requireAssetsGained(judged, [vault.custody], assets);
  requireLovelaceLostAtMost(judged, [vault.custody, operator], transaction.fee);
}
