import { requireMayActFor, type Caller } from '../access/rules/caller.ts';
import { parseWalletAddress } from '../cardano/scripts/address.ts';
import { buildUnstake } from '../cardano/build/unstake.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { outputUtxo } from '../cardano/transaction.ts';
import { stakeAddressOf } from '../cardano/scripts/script-addresses.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { requireUnstakable } from './rules/unstake.ts';
import { type ChainTransaction, findTransaction } from '../transactions/queries/chain-transactions.ts';
import { lockStakes, type Stake } from './queries/stakes.ts';
import { setUnstakeTransaction } from './queries/stake-changes.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { mayReadVault } from '../vaults/vault-access.ts';
import { publishAction } from '../events/publish.ts';
import { deadlineBefore } from '../cardano/ledger/deadline.ts';
import { type RecordedTransaction, buildAndRecord } from '../transactions/record-transaction.ts';
import { startTransactionWorkflow } from '../transactions/start-transaction-workflow.ts';

interface UnstakeInput {
  readonly stakeId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface StartedUnstake extends RecordedTransaction {
  /** Who signs besides the vault. */
  readonly signer: ChainTransaction['signer'];
}

/**
 * Records the transaction that returns a stake to its owner, who signs it together with the vault; possible in every phase of
 * the vault. Throws STAKE_NOT_FOUND, INSUFFICIENT_PERMISSIONS and what `requireUnstakable` throws.
 */
export async function unstake(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  input: UnstakeInput,
  chain: NetworkState,
): Promise<StartedUnstake> {
  const { tx } = context;
  const stake = await lockReadableStake(context, input);
  const onBehalfOf = requireMayActFor(input.caller, stake.wallet);
  requireUnstakable(stake);

  const stakeTransaction = await findTransaction(tx, stake.stakeTransactionId);
  if (!stakeTransaction) throw new Error(`stake ${stake.id} has no transaction`);
  const { id, ...recorded } = await recordReturn(context, { stake, stakeTransaction, chain, networkId });
  await setUnstakeTransaction(context, stake.id, id);
  await startTransactionWorkflow(context, { id, vaultId: stake.vaultId });
  await publishReturn(context, input, { stake, onBehalfOf, transactionHash: recorded.transaction.hash });
  return { ...recorded, signer: stakeTransaction.signer };
}

async function lockReadableStake({ tx }: TransactionContext, { stakeId, caller }: UnstakeInput): Promise<Stake> {
  const [stake] = await lockStakes(tx, [stakeId]);
  if (!stake || !(await mayReadVault({ db: tx }, caller, stake.vaultId))) throw new ServiceError('STAKE_NOT_FOUND');
  return stake;
}

interface ReturnInput extends Pick<ServiceContext, 'networkId'> {
  readonly stake: Stake;
  /** Its first output holds the stake. */
  readonly stakeTransaction: ChainTransaction;
  readonly chain: NetworkState;
}

async function recordReturn(
  context: TransactionContext,
  { stake, stakeTransaction, chain, networkId }: ReturnInput,
): Promise<RecordedTransaction & { id: string }> {
  const { vaultId, vaultKeyHash } = stake;
  const { address, paymentKeyHash: ownerKeyHash } = parseWalletAddress(stake.wallet, networkId);
  const { script } = stakeAddressOf({ vaultKeyHash }, { ownerKeyHash, releaseSlot: stake.releaseSlot }, networkId);
  const utxo = outputUtxo(stakeTransaction, 0);
  const { signer } = stakeTransaction;
  const id = context.ids.next();
  const record = {
    id,
    kind: 'unstake',
    vaultId,
    ownerWorkflow: transactionWorkflowId(id),
    signer,
    wallet: address,
    ...(signer === 'wallet' && { platformSigners: [vaultKeyHash] }),
  } as const;
  const deadline = deadlineBefore(null, context.now, chain.anchor);
  const source = { address, utxos: [utxo], deadline, anchor: chain.anchor };
  const recorded = await buildAndRecord(context, record, source, (_free, ttlSlot) =>
    buildUnstake(chain, { stake: { utxo, script }, owner: address, ownerKeyHash, vaultKeyHash, ttlSlot }),
  );
  return { ...recorded, id };
}

interface StakeReturn {
  readonly stake: Stake;
  readonly onBehalfOf: string | undefined;
  readonly transactionHash: string;
}

async function publishReturn(
  context: TransactionContext,
  { caller, correlationId }: UnstakeInput,
  { stake: { id: stakeId, vaultId, wallet, amount }, onBehalfOf, transactionHash }: StakeReturn,
): Promise<void> {
  await publishAction(context, {
    action: 'STAKE_RETURN_STARTED',
    vaultId,
    actor: wallet,
    transactionHash,
    eventData: { stakeId, amountBaseUnits: amount.toString() },
    resource: { type: 'stake', id: stakeId },
    metadata: { vaultId, transactionHash },
    caller,
    onBehalfOf,
    correlationId,
  });
}
