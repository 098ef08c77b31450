import { requireMayActFor, type Caller } from '../../domain/identity/caller.ts';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import { buildUnstake } from '../../chain/build/unstake.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import { outputUtxo } from '../../chain/transaction.ts';
import { stakeAddressOf } from '../../chain/scripts/script-addresses.ts';
import { ServiceError } from '../../domain/errors.ts';
import { requireUnstakable } from '../../domain/stake/stake.ts';
import { type ChainTransaction, findTransaction } from '../../store/chain-transactions.ts';
import { recordEvent } from '../../store/events.ts';
import { lockStakes, type Stake } from '../../store/stakes.ts';
import { setUnstakeTransaction } from '../../store/stake-changes.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { getVault } from '../../store/vaults.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { mayReadVault } from '../vaults/vault-access.ts';
import { publish } from '../publish.ts';
import { startTransactionWorkflow } from '../transactions/start-transaction-workflow.ts';
import { deadlineBefore } from '../transactions/deadline.ts';
import { type RecordedTransaction, buildAndRecord } from '../transactions/record-transaction.ts';

interface Unstaking {
  readonly stakeId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface Unstaked extends RecordedTransaction {
  /** Who signs beside the vault. */
  readonly signer: ChainTransaction['signer'];
}

/**
 * Records the transaction that brings a stake back to its owner, who signs it together with the vault; in every phase of the
 * vault. Raises STAKE_NOT_FOUND, INSUFFICIENT_PERMISSIONS and what `requireUnstakable` raises.
 */
export async function unstake(
  work: TransactionContext,
  context: ServiceContext,
  unstaking: Unstaking,
  facts: () => NetworkState,
): Promise<Unstaked> {
  const { tx, now } = work;
  const { ids } = context;
  const stake = await readableStake(work, unstaking);
  const onBehalfOf = requireMayActFor(unstaking.caller, stake.wallet);
  requireUnstakable(stake);

  const brought = await findTransaction(tx, stake.stakeTransactionId);
  if (!brought) throw new Error(`stake ${stake.id} was not brought by a transaction`);
  const { signer } = brought;
  const transactionId = ids.next();
  const recorded = await recordReturn(work, context, { stake, brought, chain: facts(), transactionId });
  await setUnstakeTransaction(tx, stake.id, transactionId, now);
  await startTransactionWorkflow(work, { id: transactionId, vaultId: stake.vaultId });
  await tell(work, context, unstaking, { stake, onBehalfOf, transactionHash: recorded.transaction.hash });
  return { ...recorded, signer };
}

async function readableStake({ tx }: TransactionContext, { stakeId, caller }: Unstaking): Promise<Stake> {
  const [stake] = await lockStakes(tx, [stakeId]);
  if (!stake || !(await mayReadVault({ db: tx }, caller, stake.vaultId))) throw new ServiceError('STAKE_NOT_FOUND');
  return stake;
}

interface Return {
  readonly stake: Stake;
  /** The transaction whose first output holds the stake. */
  readonly brought: ChainTransaction;
  readonly chain: NetworkState;
  readonly transactionId: string;
}

async function recordReturn(
  work: TransactionContext,
  { networkId }: ServiceContext,
  { stake, brought, chain, transactionId }: Return,
): Promise<RecordedTransaction> {
  const vault = await getVault(work.tx, stake.vaultId);
  const { vaultKeyHash } = vault;
  const { address, paymentKeyHash: ownerKeyHash } = parseWalletAddress(stake.wallet, networkId);
  const { script } = stakeAddressOf(vault, { ownerKeyHash, releaseSlot: stake.releaseSlot }, networkId);
  const utxo = outputUtxo(brought, 0);
  const { signer } = brought;
  const record = {
    id: transactionId,
    kind: 'unstake',
    vaultId: vault.id,
    ownerWorkflow: transactionWorkflowId(transactionId),
    signer,
    wallet: address,
    ...(signer === 'wallet' && { platformSigners: [vaultKeyHash] }),
  } as const;
  const deadline = deadlineBefore(null, work.now, chain.anchor);
  return buildAndRecord(work, record, { address, utxos: [utxo], deadline, anchor: chain.anchor }, (_free, ttlSlot) =>
    buildUnstake(chain, { stake: { utxo, script }, owner: address, ownerKeyHash, vaultKeyHash, ttlSlot }),
  );
}

interface Told {
  readonly stake: Stake;
  readonly onBehalfOf: string | undefined;
  readonly transactionHash: string;
}

async function tell(
  { tx, now }: TransactionContext,
  { ids }: ServiceContext,
  { caller, correlationId }: Unstaking,
  { stake: { id: stakeId, vaultId, wallet, amount }, onBehalfOf, transactionHash }: Told,
): Promise<void> {
  const data = { stakeId, amountBaseUnits: amount.toString() };
  const told = { vaultId, actor: wallet, transactionHash, correlationId, data };
  await recordEvent({ tx, ids, now }, { type: 'STAKE_RETURN_STARTED', ...told });
  const deed = { action: 'STAKE_RETURN_STARTED', resource: { type: 'stake', id: stakeId }, caller } as const;
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf, metadata: { vaultId, transactionHash } } });
}
