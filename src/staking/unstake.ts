import { requireMayActFor, type Caller } from '../access/rules.ts';
import { buildUnstake } from '../cardano/build/staking.ts';
import { deadlineBefore } from '../cardano/ledger/http.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { parseWalletAddress } from '../cardano/scripts/address.ts';
import { stakeAddressOf } from '../cardano/scripts/script-addresses.ts';
import { outputUtxo } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import { publishAction, publish } from '../events/publish.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { transactionWorkflowId, unsolicitedScanId } from '../platform/temporal/workflow-ids.ts';
import { lockStakes, type Stake, setUnstakeTransaction, changeStakeStatus } from './queries/stakes.ts';
import { requireUnstakable, isHeld } from './rules.ts';
import { type ChainTransaction, findTransaction } from '../transactions/queries/transactions.ts';
import {
  type RecordedTransaction,
  buildAndRecord,
  startTransactionWorkflow,
} from '../transactions/record-transaction.ts';
import { mayReadVault } from '../vaults/require-vault.ts';

interface UnstakeInput {
  readonly stakeId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

interface StartedUnstake extends RecordedTransaction {
  /** Who signs besides the vault. */
  readonly signer: ChainTransaction['signer'];
}

/**
 * Records the transaction that returns a stake to its owner, who signs it together with the vault; possible in every phase
 * of the vault.
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
  if (!stake || !(await mayReadVault(tx, caller, stake.vaultId))) throw new ServiceError('STAKE_NOT_FOUND');
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

/** Records that the owner of a stake took it back by a transaction of their own; does nothing when the stake has changed meanwhile. */
export async function recordReclaimedStake(
  context: TransactionContext,
  stakeId: string,
  reclaimHash: string,
): Promise<void> {
  const { tx } = context;
  const [stake] = await lockStakes(tx, [stakeId]);
  if (!stake || stake.status !== 'ACTIVE' || !isHeld(stake)) return;
  await changeStakeStatus(context, stake, { status: 'RELEASED', reason: 'reclaimed', reclaimHash });
  const { vaultId, wallet: actor, amount } = stake;
  const data = { stakeId, amountBaseUnits: amount.toString() };
  const correlationId = unsolicitedScanId;
  await publish(context, {
    event: { type: 'STAKE_RECLAIMED', vaultId, actor, transactionHash: reclaimHash, correlationId, data },
  });
}
