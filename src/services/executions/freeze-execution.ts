import type { Caller } from '../../domain/identity/caller.ts';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import { custodyScript } from '../../chain/scripts/vault-scripts.ts';
import { instantOfSlot, slotAt } from '../../chain/ledger/slots.ts';
import type { BuiltTransaction, Utxo } from '../../chain/transaction.ts';
import { type Cosigner, cosignersMissing, signaturesMissing } from '../../domain/execution/cosigning.ts';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { ProposalEffect } from '../../domain/proposal/effect.ts';
import type { EffectInputs } from './effects/effect.ts';
import { executionEffects } from './effects/effects.ts';
import { type Asset, lockAssetRows } from '../../store/assets.ts';
import { lockTransaction } from '../../store/chain-transactions.ts';
import type { EventType } from '../../store/event-types.ts';
import { recordEvent } from '../../store/events.ts';
import { lockLiveExecution } from '../../store/proposal-executions.ts';
import {
  type BoughtAsset,
  changeExecution,
  type Execution,
  insertExecution,
  type NewExecution,
} from '../../store/executions.ts';
import { moveTransaction } from '../on-ledger/transactions.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { inputsAwaitingSignature } from '../../store/utxo-leases.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { requestedEffect, type ExecutionPrefetch, spendableUtxos } from './prefetch.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../publish.ts';
import { assetClassOf, boughtAsset, marketValue } from './market-value.ts';
import { reserveNft } from '../assets/reserve-nft.ts';
import { canStillLand, differencesFromFrozen } from './frozen-execution.ts';
import { type OpenExecution, namedCosigners, openExecution, requireExecutor } from './open-execution.ts';
import { buildWithPlatformFunds } from '../transactions/funding-errors.ts';
import { buildAndRecord } from '../transactions/record-transaction.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import type { Signer } from '../../domain/execution/signatures.ts';
import type { ExecutionParams } from './execution-params.ts';

export interface FreezeRequest {
  readonly proposalId: string;
  readonly params: ExecutionParams;
  readonly executor: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Freezes the transaction that executes a passed proposal, for the cosigners and the action of the request; the one that was
 * frozen before gives way, or stays when it is for the same and can still land, or when `onlyFirst`. Raises what
 * `openExecution`, `namedCosigners`, `requireExecutor` and the effect raise.
 */
export async function freezeExecution(
  work: TransactionContext,
  context: ServiceContext,
  wish: FreezeRequest,
  facts: () => ExecutionPrefetch,
  onlyFirst = false,
): Promise<void> {
  const { tx } = work;
  const executable = await openExecution(work, wish.caller, wish.proposalId);
  const live = await lockLiveExecution(tx, wish.proposalId);
  if (live && (onlyFirst || (await isFor(work, context, wish, executable, live, facts)))) return;
  const plan = await planOf(work, context, wish, executable, facts);
  // The first is frozen by whoever executes, to whom signatures are missing.
  const tooFew = onlyFirst ? signaturesMissing : cosignersMissing;
  const cosigners = await namedCosigners(tx, executable, wish.params.cosigners, context.networkId, tooFew);
  // Who merely buys or sells cannot undo what others have frozen.
  const partner = live && live.frozenBy !== wish.executor.address ? null : plan.partner;
  await requireExecutor(tx, executable, wish.executor, partner);
  if (live) await giveWay(work, context, wish, live);
  await record(work, context, wish, { executable, plan, cosigners, facts: facts() });
}

/** Whether a frozen execution does what is asked. It stays as it was judged then: signatures were given for it. */
async function isFor(
  work: TransactionContext,
  { networkId }: ServiceContext,
  { params, executor }: FreezeRequest,
  executable: OpenExecution,
  frozen: Execution,
  facts: () => ExecutionPrefetch,
): Promise<boolean> {
  const { tx } = work;
  const { proposal } = executable;
  const asked = await requestedEffect(tx, proposal, params);
  const cosigners = await namedCosigners(tx, executable, params.cosigners, networkId, cosignersMissing);
  if (differencesFromFrozen(frozen, asked, cosigners).length > 0) return false;
  const wanted = { approved: proposal.effect, requested: asked, executor: executor.address };
  const partner = executionEffects[proposal.effect.type].partner(wanted);
  if (partner !== (frozen.partner?.wallet ?? null)) return false;
  await requireExecutor(tx, executable, executor, partner);
  return canStillLand(work, frozen, facts());
}

interface Plan {
  readonly effect: ProposalEffect;
  readonly assets: readonly Asset[];
  readonly partner: string | null;
  readonly bought: BoughtAsset | null;
}

async function planOf(
  work: TransactionContext,
  context: ServiceContext,
  { params, executor }: FreezeRequest,
  { proposal, vault }: OpenExecution,
  facts: () => ExecutionPrefetch,
): Promise<Plan> {
  const { tx } = work;
  const { effect: approved } = proposal;
  const asked = await requestedEffect(tx, proposal, params);
  const effectOf = executionEffects[approved.type];
  const assets = await lockAssetRows(tx, approved.assetIds);
  const wanted = { approved, requested: asked, executor: executor.address };
  const bought = approved.type === 'BUY' ? boughtAsset(approved, facts().prices()) : null;
  if (bought?.type === 'NFT' && approved.type === 'BUY') await reserveNft(work, assetClassOf(approved));
  const valuation = await marketValue(work, context, { approved, assets, vault, bought }, facts);
  const effect = effectOf.plan({ ...wanted, assets, valuation, vault, bought });
  return { effect, assets, partner: effectOf.partner(wanted), bought };
}

async function giveWay(
  { tx, now }: TransactionContext,
  { ids }: ServiceContext,
  { executor, correlationId }: FreezeRequest,
  live: Execution,
): Promise<void> {
  await changeExecution(tx, live, { status: 'VOIDED', reason: 'replaced' });
  const transaction = await lockTransaction(tx, live.transactionId);
  if (!transaction) throw new Error(`execution ${live.id} has no transaction`);
  // Without the vault's key, which signs only what is executed, nobody can send it by themselves: it has ended for good.
  const reason = 'replaced by another execution';
  await moveTransaction({ tx, ids, now }, transaction, { to: 'expired', reason });
  const data = { proposalId: live.proposalId, executionId: live.id, cause: 'replaced' };
  const told = { vaultId: live.vaultId, actor: executor.address, transactionHash: null, correlationId, data };
  await recordEvent({ tx, ids, now }, { type: 'EXECUTION_VOIDED', ...told });
}

interface Ingredients {
  readonly executable: OpenExecution;
  readonly plan: Plan;
  readonly cosigners: readonly Cosigner[];
  readonly facts: ExecutionPrefetch;
}

async function record(
  work: TransactionContext,
  context: ServiceContext,
  wish: FreezeRequest,
  ingredients: Ingredients,
): Promise<void> {
  const { tx, now } = work;
  const { ids, networkId } = context;
  const { executable, plan, cosigners } = ingredients;
  const { vaultId, id: proposalId } = executable.proposal;
  const transactionId = ids.next();
  const { transaction } = await recordTransaction(work, wish, ingredients, transactionId);
  const execution: NewExecution = {
    id: ids.next(),
    proposalId,
    vaultId,
    transactionId,
    frozenBy: wish.executor.address,
    action: wish.params.action,
    effect: plan.effect,
    cosigners: cosigners.map(({ wallet, keyHash }) => ({ wallet, keyHash })),
    partner: plan.partner === null ? null : signerOf(plan.partner, networkId),
    bought: plan.bought,
    createdAt: now,
  };
  await insertExecution(tx, execution);
  const start = { kind: 'start', workflow: 'transaction', transactionId, vaultId } as const;
  await enqueueWorkflowMessage({ tx, ids }, transactionWorkflowId(transactionId), start);
  const told = { event: 'EXECUTION_FROZEN', action: 'EXECUTION_FROZEN', transactionHash: transaction.hash } as const;
  await publishExecution(work, context, wish, execution, told);
}

/** What a partner brings is leased only when he signs: nobody's wallet is blocked by being named. */
async function recordTransaction(
  work: TransactionContext,
  { executor }: FreezeRequest,
  ingredients: Ingredients,
  id: string,
) {
  const { executable, plan, facts } = ingredients;
  const { chain, partner, operator } = facts;
  const { vault, proposal } = executable;
  if (!proposal.phases) throw new Error(`proposal ${proposal.id} has no phases`);
  // Read a moment ago, and for another partner: the same request succeeds.
  if (plan.partner !== (partner?.address ?? null)) throw new ServiceError('SERVICE_NOT_READY');
  // Nothing may land after the phase is over.
  const ttlSlot = slotAt(chain.anchor, proposal.phases.execution.endsAt);
  const deadline = { ttlSlot, expiresAt: instantOfSlot(chain.anchor, ttlSlot) };
  const custody = { address: vault.contractAddress, utxos: facts.inCustody };
  // The vault pays for what it buys; who sells or returns an asset brings it.
  const isTheirs = (code: ErrorCode) => code === 'ASSET_NOT_IN_WALLET' || plan.effect.type === 'ASSET_SALE';
  const lacking = (code: ErrorCode) => (partner && isTheirs(code) ? partner : custody);
  const purse = { address: custody.address, utxos: spendableUtxos(facts), deadline, anchor: chain.anchor, lacking };
  const record = {
    id,
    kind: 'execute',
    vaultId: vault.id,
    ownerWorkflow: transactionWorkflowId(id),
    signer: 'wallet',
    wallet: plan.partner ?? executor.address,
    platformSigners: [vault.vaultKeyHash, ...(operator ? [operator.keyHash] : [])],
    leasedWhenSigned: partner?.address,
  } as const;
  const asked = partner ? await inputsAwaitingSignature(work.tx, partner.address) : [];
  return buildAndRecord(work, record, purse, (free, slot) => {
    const build = (utxos: readonly Utxo[]) =>
      executionEffects[plan.effect.type].buildTransaction(materialOf(ingredients, utxos, slot));
    const buildFrom = operator ? (utxos: readonly Utxo[]) => buildWithPlatformFunds(() => build(utxos)) : build;
    return buildPreferring(buildFrom, free, asked);
  });
}

/** Two executions that one wallet is asked for can both be signed, as long as it has enough for both. */
function buildPreferring(
  buildFrom: (utxos: readonly Utxo[]) => BuiltTransaction,
  free: readonly Utxo[],
  asked: readonly Utxo[],
): BuiltTransaction {
  const elsewhere = new Set(asked.map(refText));
  const unasked = free.filter((utxo) => !elsewhere.has(refText(utxo)));
  if (unasked.length === free.length) return buildFrom(free);
  try {
    return buildFrom(unasked);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return buildFrom(free);
  }
}

function materialOf(
  { executable, plan, cosigners, facts }: Ingredients,
  free: readonly Utxo[],
  ttlSlot: number,
): EffectInputs {
  const { vault, proposal } = executable;
  const { vaultKeyHash, contractAddress } = vault;
  const unheld = new Set(free.map(refText));
  const ofThem = (utxos: readonly Utxo[]) => utxos.filter((utxo) => unheld.has(refText(utxo)));
  return {
    chain: facts.chain,
    proposalId: proposal.id,
    effect: plan.effect,
    assets: plan.assets,
    custody: {
      address: contractAddress,
      script: custodyScript({ vaultKeyHash, ...(vault.cosigners && { cosigners: vault.cosigners }) }),
      vaultKeyHash,
      cosigners: cosigners.map(({ keyHash }) => keyHash),
    },
    inCustody: facts.inCustody,
    free: ofThem(facts.inCustody),
    partner: facts.partner && { ...facts.partner, utxos: ofThem(facts.partner.utxos) },
    operator: facts.operator && { ...facts.operator, utxos: ofThem(facts.operator.utxos) },
    ttlSlot,
  };
}

function signerOf(wallet: string, networkId: ServiceContext['networkId']): Signer {
  return { wallet, keyHash: parseWalletAddress(wallet, networkId).paymentKeyHash };
}

/** Tells that an execution is frozen or sent, by an event and in the audit log. */
export async function publishExecution(
  { tx, now }: TransactionContext,
  { ids }: ServiceContext,
  { executor, caller, correlationId }: FreezeRequest,
  { id, proposalId, vaultId, effect, cosigners }: NewExecution,
  { event, action, transactionHash }: { event: EventType; action: string; transactionHash: string },
): Promise<void> {
  const data = { proposalId, executionId: id, type: effect.type, cosigners: cosigners.map(({ wallet }) => wallet) };
  const told = { vaultId, actor: executor.address, transactionHash, correlationId, data };
  await recordEvent({ tx, ids, now }, { type: event, ...told });
  const deed = { action, resource: { type: 'proposal', id: proposalId }, caller } as const;
  const { onBehalfOf } = executor;
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf, metadata: { transactionHash } } });
}
