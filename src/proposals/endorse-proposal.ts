import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import type { Caller } from '../access/rules.ts';
import { requireAction, requireMayEndorse } from './rules/allowed-actions.ts';
import { isoText } from '../platform/units/time.ts';
import { insertEndorsement } from './queries/participation.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { Proposal } from './queries/proposals.ts';
import { stakedPower } from '../votes/queries/voting-powers.ts';

import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { ActingWallet } from '../access/acting-wallet.ts';
import type { AnchoredActionQuota } from '../context.ts';
import { countAnchoredAction } from './create-proposal.ts';
import { publishAll } from '../events/publish.ts';
import { requireLockedVault } from '../vaults/require-vault.ts';

import { proposalSnapshot, voteSummary } from '../votes/read-votes.ts';
import { openWhenEndorsed } from './phases.ts';
import { requireReadableProposal } from './read-proposals.ts';

interface EndorsementInput {
  readonly proposalId: string;
  readonly endorser: ActingWallet;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Endorses a draft with all stakes of a wallet, and opens voting when that is enough. Throws PROPOSAL_NOT_FOUND,
 * ENDORSING_CLOSED, CLAIMS_END_BEFORE_EXECUTION, VAULT_NOT_LOCKED, VAULT_ALREADY_ENDED, INSUFFICIENT_VOTING_POWER, FREE_ACTIONS_USED_UP, and ALREADY_ENDORSED for a second
 * endorsement that does not open voting.
 */
export async function endorseProposal(
  context: AnchoringContext,
  limit: AnchoredActionQuota,
  input: EndorsementInput,
): Promise<AnchoredChange> {
  const { tx, ids, now } = context;
  const { proposalId, caller } = input;
  await lockExclusive(tx, `proposal:${proposalId}`);
  const { proposal, vault } = await requireReadableProposal(tx, caller, proposalId);
  requireAction('endorse', proposalSnapshot(proposal, await voteSummary(tx, proposal)), now);
  requireLockedVault(vault);
  const { address: wallet } = input.endorser;
  const power = await stakedPower(tx, vault.id, wallet, now);
  const endorsement = { id: ids.next(), proposalId, wallet, createdAt: now };
  const isNew = wallet !== proposal.proposer && (await insertEndorsement(tx, endorsement));
  const opensVoting = await openWhenEndorsed(context, vault, proposalId);
  requireMayEndorse(wallet, { power, isNew, opensVoting });
  await countAnchoredAction(context, limit, { wallet, kind: 'endorsement' });
  // The workflow only needs the endorsement that opens voting; a signal for each would let its history grow.
  if (opensVoting) {
    await enqueueWorkflowMessage(context, proposalWorkflowId(proposalId), { kind: 'signal', signal: 'endorsed' });
  }

  const { id: factId } = endorsement;
  const fact = { kind: 'proposal_endorsed', endorsementId: factId, proposalId, wallet, endorsedAt: isoText(now) };
  const transactionHash = await context.anchor({ factId, vaultId: vault.id, fact });
  const powerBaseUnits = power.toString();
  await publishEndorsement(context, input, { proposal, powerBaseUnits, opensVoting, transactionHash });
  return { factId, transactionHash };
}

interface PublishedEndorsement {
  readonly proposal: Proposal;
  readonly powerBaseUnits: string;
  readonly opensVoting: boolean;
  readonly transactionHash: string;
}

async function publishEndorsement(
  context: AnchoringContext,
  { proposalId, endorser, caller, correlationId }: EndorsementInput,
  { proposal: { vaultId, proposer }, powerBaseUnits, opensVoting, transactionHash }: PublishedEndorsement,
): Promise<void> {
  const shared = { vaultId, actor: endorser.address, wallets: [proposer], transactionHash, correlationId };
  const endorsed = { ...shared, type: 'PROPOSAL_ENDORSED', data: { proposalId, powerBaseUnits } } as const;
  const opened = { proposalId, status: 'ACTIVE', reason: null } as const;
  await publishAll(context, [
    { event: endorsed },
    ...(opensVoting ? [{ event: { ...shared, type: 'PROPOSAL_STATUS_CHANGED', data: opened } as const }] : []),
    {
      audit: {
        action: 'PROPOSAL_ENDORSED',
        resource: { type: 'proposal', id: proposalId },
        caller,
        onBehalfOf: endorser.onBehalfOf,
        metadata: { transactionHash },
      },
    },
  ]);
}
