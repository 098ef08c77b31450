import type { Caller } from '../../access/rules/caller.ts';
import type { AnchoredChange } from '../../anchoring/anchors.ts';
import { readProposalView } from '../view-proposals.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import type { ApiContext } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { OperationTransaction, presentAnchored } from '../../transactions/routes/response.ts';
import { ProposalResource } from './resource.ts';
import { presentProposal } from './response.ts';

/** A proposal that the request has changed, with the transaction that anchors the change. */
export const ChangedProposal = Enveloped(ProposalResource.extend({ transaction: OperationTransaction }));

/** Reads the proposal after the change, in the database transaction that made it. */
export async function presentChangedProposal(
  { tx: db, now }: TransactionContext,
  { networkId }: Pick<ApiContext, 'networkId'>,
  { proposalId, caller }: { readonly proposalId: string; readonly caller: Caller },
  anchored: AnchoredChange,
) {
  const proposal = presentProposal(await readProposalView({ db, networkId, caller, now }, proposalId));
  return enveloped({ ...proposal, transaction: presentAnchored(anchored) }, now);
}
