import { buildExecution, type ExecutionInputs } from '../cardano/build/execution.ts';
import { instantOfSlot, slotAt } from '../cardano/ledger/slots.ts';
import { parseWalletAddress } from '../cardano/scripts/address.ts';
import { claimsAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { ErrorCode } from '../platform/error-registry.ts';
import { ServiceError } from '../platform/errors.ts';
import { cosignersBesidePartner } from './rules/cosigners.ts';
import type { Cosigners } from '../transactions/rules.ts';
import { insertExecution, type NewExecution } from './queries.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { inputsAwaitingSignature } from '../transactions/queries/utxo-leases.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import {
  buildAndRecord,
  type FundingSource,
  type RecordedTransaction,
  startTransactionWorkflow,
} from '../transactions/record-transaction.ts';
import {
  type ExecutionInput,
  type ExecutableProposal,
  type ExecutionPlan,
  type ExecutionPrefetch,
  spendableUtxos,
  publishExecution,
} from './plan-execution.ts';
import type { NamedCosigners } from './cosigners.ts';
import { requireBelowOperatorLimit } from './execute-proposal.ts';

interface ExecutionDraft extends NamedCosigners {
  readonly executable: ExecutableProposal;
  readonly plan: ExecutionPlan;
  readonly prefetch: ExecutionPrefetch;
}

/** Builds and records an execution with its transaction, starts the workflow of the transaction and publishes EXECUTION_FROZEN. */
export async function recordExecution(
  context: TransactionContext,
  settings: ServiceContext,
  input: ExecutionInput,
  draft: ExecutionDraft,
): Promise<void> {
  const { executable, plan, cosigners, requiredCosigners } = draft;
  const { vaultId, id: proposalId } = executable.proposal;
  const transactionId = context.ids.next();
  const { transaction } = await recordTransaction(context, settings, input, draft, transactionId);
  await requireBelowOperatorLimit(context.tx, vaultId, draft.prefetch.operator, transaction);
  const execution: NewExecution = {
    id: context.ids.next(),
    proposalId,
    vaultId,
    transactionId,
    frozenBy: input.executor.address,
    action: input.params.action,
    effect: plan.effect,
    cosigners: cosigners.map(({ wallet, keyHash }) => ({ wallet, keyHash })),
    requiredCosigners,
    partner: plan.partner === null ? null : signerOf(plan.partner, settings.networkId),
    bought: plan.bought,
    createdAt: context.now,
  };
  await insertExecution(context.tx, execution);
  await startTransactionWorkflow(context, { id: transactionId, vaultId });
  const { hash: transactionHash } = transaction;
  const names = { event: 'EXECUTION_FROZEN', action: 'EXECUTION_FROZEN' } as const;
  await publishExecution(context, input, { ...names, execution, transactionHash });
}

/** The UTxOs of a partner are leased only when the partner signs: naming a wallet must not block its UTxOs. */
async function recordTransaction(
  context: TransactionContext,
  settings: ServiceContext,
  { executor }: ExecutionInput,
  draft: ExecutionDraft,
  id: string,
): Promise<RecordedTransaction> {
  const { partner, operator } = draft.prefetch;
  const { vault } = draft.executable;
  // The partner was read before the unit of work and differs now: the same request succeeds when it is repeated.
  if (draft.plan.partner !== (partner?.address ?? null)) throw new ServiceError('SERVICE_NOT_READY');
  const record = {
    id,
    kind: 'execute',
    vaultId: vault.id,
    ownerWorkflow: transactionWorkflowId(id),
    signer: 'wallet',
    wallet: draft.plan.partner ?? executor.address,
    platformSigners: [vault.vaultKeyHash, ...(operator ? [operator.keyHash] : [])],
    cosigners: optionalCosigners(draft),
    leasedWhenSigned: ({ address }: Utxo) => address === partner?.address,
  } as const;
  const awaitingSignature = partner ? await inputsAwaitingSignature(context.tx, partner.address) : [];
  return buildAndRecord(context, record, fundingSource(draft), (free, ttlSlot) =>
    buildExecution(executionInputs(draft, settings), { free, awaitingSignature }, ttlSlot),
  );
}

/** The cosigners of whom not all have to sign, besides the partner; null when all have to. */
function optionalCosigners({ cosigners, requiredCosigners, prefetch }: ExecutionDraft): Cosigners | null {
  const named = {
    cosigners,
    partner: prefetch.partner && { wallet: prefetch.partner.address, keyHash: prefetch.partner.keyHash },
  };
  const others = cosignersBesidePartner(named, requiredCosigners);
  return others.required < others.keyHashes.length ? others : null;
}

function executionInputs(draft: ExecutionDraft, { networkId }: ServiceContext): ExecutionInputs {
  const { executable, plan, cosigners, prefetch } = draft;
  const { vault, proposal } = executable;
  const signers = { cosigners, allCosign: optionalCosigners(draft) === null };
  // The price of a sale while the vault ends is for those who claim.
  const proceedsAddress = vault.claimsOpen ? claimsAddressOf(vault, networkId).address : undefined;
  const { effect, assets } = plan;
  return { ...prefetch, vault, proposalId: proposal.id, effect, assets, proceedsAddress, ...signers };
}

function fundingSource({ executable, plan, prefetch }: ExecutionDraft): FundingSource {
  const { chain, partner, inCustody } = prefetch;
  const { proposal, vault } = executable;
  if (!proposal.phases) throw new Error(`proposal ${proposal.id} has no phases`);
  // A transaction cannot be confirmed after the execution phase.
  const ttlSlot = slotAt(chain.anchor, proposal.phases.execution.endsAt);
  const custody = { address: vault.contractAddress, utxos: inCustody };
  // The vault pays for what it buys; a seller or holder provides the asset, and a holder the ADA that went with it.
  const isOfPartner = (code: ErrorCode) => code === 'ASSET_NOT_IN_WALLET' || plan.effect.type !== 'BUY';
  return {
    address: custody.address,
    utxos: spendableUtxos(prefetch),
    deadline: { ttlSlot, expiresAt: instantOfSlot(chain.anchor, ttlSlot) },
    anchor: chain.anchor,
    lacking: (code) => (partner && isOfPartner(code) ? partner : custody),
  };
}

function signerOf(wallet: string, networkId: ServiceContext['networkId']) {
  return { wallet, keyHash: parseWalletAddress(wallet, networkId).paymentKeyHash };
}
