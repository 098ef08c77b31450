import type { KeyHash } from '../../../cardano/transaction.ts';
import type { ProposalEffect } from '../../../proposals/rules/effect.ts';
import type { ExecutionEvidence } from '../../evidence.ts';
import { type Judged, requireJust } from '../../judged.ts';
import type { Rule } from '../../rule.ts';
import { judgePurchase } from './asset-purchase.ts';
import { judgeSale } from './asset-sale.ts';
import { judgeVote } from './anchored-vote.ts';
import { isStakingOut, judgeStaking, lackingToStake } from './asset-staking.ts';
import { requireCosigned } from './cosigners.ts';
import { judgeDecision } from './liquidation-decision.ts';

/** More than the longest execution phase; each transaction ends with its own. */
const LONGEST_PHASE_SECONDS = 31 * 86_400;

/**
 * An execution does what its vote approved, with the signatures of as many cosigners as it needs and of its partner: what a thief writes
 * into Postgres is none of them. What the vote approved is on the ledger for as long as votes and lock phases last.
 */
export const execute: Rule<ExecutionEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: ['metadata'],
  lifetimeSeconds: LONGEST_PHASE_SECONDS,
  operatorPays: (judged, evidence) => (isStakingOut(evidence) ? lackingToStake(judged, evidence) : 0n),
  judge(judged, evidence) {
    const { transaction } = judged;
    const { effect, approved, lastSlot } = evidence;
    requireJust((transaction.ttlSlot ?? Infinity) <= lastSlot, 'it could land after its execution phase');
    requireJust(isApproved(effect, approved), 'it does something else than the vote approved');
    judgeVote(judged, evidence);
    requireSigned(judged, evidence);
    requireJust(effect.type === 'LIQUIDATE' || transaction.metadata === null, 'it carries metadata');
    judgeEffect(judged, evidence);
    // Comes last: where a backend hides stakes, an execution waits that nothing else refuses.
    requireCosigned(judged, evidence);
  },
};

function judgeEffect(judged: Judged, evidence: ExecutionEvidence): void {
  const { effect } = evidence;
  switch (effect.type) {
    case 'ASSET_SALE':
      judgeSale(judged, evidence, effect.terms);
      return;
    case 'BUY':
      judgePurchase(judged, evidence, effect.terms);
      return;
    case 'STAKE':
      judgeStaking(judged, evidence, effect.terms);
      return;
    case 'LIQUIDATE':
      judgeDecision(judged, evidence);
  }
}

/** Whether an effect is the approved one; terms that the vote left open may be anything. */
function isApproved(effect: ProposalEffect, approved: ProposalEffect): boolean {
  const terms = new Map<string, unknown>(Object.entries(effect.terms));
  return (
    effect.type === approved.type &&
    effect.assetIds.length === approved.assetIds.length &&
    effect.assetIds.every((id) => approved.assetIds.includes(id)) &&
    Object.entries(approved.terms).every(([name, term]) => term === null || terms.get(name) === term)
  );
}

function requireSigned(judged: Judged, evidence: ExecutionEvidence): void {
  const { transaction, signedBy } = judged;
  const { vault, partner, cosigners, requiredCosigners } = evidence;
  const isNamed = (key: KeyHash) => transaction.requiredSigners.includes(key);
  requireJust(isNamed(vault.vaultKeyHash), 'its body does not name the vault as a signer');
  const keys = [...new Set(cosigners)];
  requireJust(
    requiredCosigners < keys.length || keys.every(isNamed),
    'its body does not name every cosigner as a signer',
  );
  requireJust(partner === null || signedBy.has(partner), 'its buyer, seller or holder has not signed it');
}
