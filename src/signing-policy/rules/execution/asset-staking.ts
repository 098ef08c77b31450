import type { StakingTerms } from '../../../proposals/rules/effect.ts';
import type { ExecutionEvidence } from '../../evidence.ts';
import {
  gainOf,
  negated,
  requireAssetsGained,
  requireInputsAt,
  requireLovelaceLostAtMost,
  requireOperatorGainsNothing,
  requireOutputsAt,
} from '../../flows.ts';
import { type Judged, requireJust } from '../../judged.ts';
import { addressBytes, atLeastNothing, lovelaceFrom, minAdaApart, minAdaAt } from '../../min-ada.ts';

/** Assets move to one of the vault's staking addresses with little more than their min-ADA, or back to custody. */
export function judgeStaking(judged: Judged, evidence: ExecutionEvidence, terms: StakingTerms): void {
  const { stakingAddress, direction } = terms;
  requireJust(evidence.stakingAddresses.includes(stakingAddress), `the vault does not stake at ${stakingAddress}`);
  const most = BigInt(evidence.assets.size + 1) * judged.minAda.ofToken;
  requireOperatorGainsNothing(judged);
  if (direction === 'out') judgeOut(judged, evidence, stakingAddress, most);
  else judgeBack(judged, evidence, stakingAddress);
}

export function isStakingOut({ effect }: Pick<ExecutionEvidence, 'effect'>): boolean {
  return effect.type === 'STAKE' && effect.terms.direction === 'out';
}

/** What the vault's outputs lack to the ADA that assets take along, each as much as it needs at the longest address. It returns with them. */
export function lackingToStake(judged: Judged, { vault, assets }: ExecutionEvidence): bigint {
  const taken = minAdaApart(judged, assets, addressBytes.longest);
  return atLeastNothing(taken + minAdaAt(judged, [vault.custody]) - lovelaceFrom(judged, vault.custody));
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
  const least = minAdaApart(judged, assets, addressBytes.vault);
  const returned = gainOf(judged, [vault.custody, operator]).lovelace + transaction.fee;
  requireJust(returned >= least, `${returned} lovelace return with the assets, below ${least}`);
}
