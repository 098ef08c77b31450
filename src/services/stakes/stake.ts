import type { Caller } from '../../domain/identity/caller.ts';
import { buildStake, stakeDeposit } from '../../chain/build/stake.ts';
import { instantOfSlot, type SlotAnchor, slotAt } from '../../chain/ledger/slots.ts';
import { stakeAddressOf } from '../../chain/scripts/script-addresses.ts';
import { fieldError, ServiceError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { BaseUnits, Lovelace } from '../../domain/units/money.ts';
import { ownerAloneFrom } from '../../domain/stake/stake.ts';
import { parseTokenAmount } from '../../domain/units/token-amount.ts';
import { recordEvent } from '../../store/events.ts';
import { insertStake } from '../../store/stakes.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { findVault, type Vault } from '../../store/vaults.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { isReadable } from '../vaults/read-vaults.ts';
import type { WalletPrefetch } from '../transactions/wallet-prefetch.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../publish.ts';
import { requireLocked } from '../vaults/open-vault.ts';
import {
  deadlineBefore,
  buildWithPlatformFunds,
  type RecordedTransaction,
  buildAndRecord,
} from '../transactions/record-transaction.ts';

interface Staking {
  readonly vaultId: string;
  /** Whole tokens. */
  readonly amount: number | string;
  readonly staker: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface Staked extends RecordedTransaction {
  readonly stakeId: string;
  readonly deliveryDeposit: Lovelace;
}

/**
 * Records a stake and the transaction that brings its tokens to the staker's own script, in a locked vault. Raises
 * VAULT_NOT_FOUND, VAULT_NOT_LOCKED, VAULT_ALREADY_ENDED, INVALID_QUANTITY, ASSET_NOT_IN_WALLET and INSUFFICIENT_FUNDS.
 */
export async function stake(
  work: TransactionContext,
  context: ServiceContext,
  staking: Staking,
  facts: () => WalletPrefetch,
): Promise<Staked> {
  const { tx, now } = work;
  const { ids, networkId } = context;
  const { staker } = staking;
  const vault = await vaultOfHolder(work, staking, facts);
  requireLocked(vault);
  const amount = readAmount(staking.amount, vault);

  const { chain, utxos } = facts();
  const release = releaseAfter(now, chain.anchor);
  const { address, paymentKeyHash, signer } = staker;
  const place = stakeAddressOf(vault, { ownerKeyHash: paymentKeyHash, releaseSlot: release.releaseSlot }, networkId);
  const transactionId = ids.next();
  const ownerWorkflow = transactionWorkflowId(transactionId);
  const record = {
    id: transactionId,
    kind: 'stake',
    vaultId: vault.id,
    ownerWorkflow,
    signer,
    wallet: address,
  } as const;
  const purse = { address, utxos, deadline: deadlineBefore(null, now, chain.anchor), anchor: chain.anchor };
  const deliveryDeposit = stakeDeposit(chain.parameters);
  const recorded = await buildAndRecord(work, record, purse, (free, ttlSlot) => {
    const owner = { address, keyHash: paymentKeyHash, utxos: free };
    const tokens = { stakeAddress: place.address, ftUnit: vault.ftUnit, amount, returnDeposit: deliveryDeposit };
    const build = () => buildStake(chain, { owner, ...tokens, ttlSlot });
    return signer === 'platform' ? buildWithPlatformFunds(build) : build();
  });

  const stakeId = ids.next();
  await insertStake(tx, {
    id: stakeId,
    vaultId: vault.id,
    wallet: address,
    amount,
    stakedAt: now,
    ...release,
    scriptAddress: place.address,
    stakeTransactionId: transactionId,
  });
  const start = { kind: 'start', workflow: 'transaction', transactionId, vaultId: vault.id } as const;
  await enqueueWorkflowMessage(tx, ids, ownerWorkflow, start);
  await tell(work, context, staking, { stakeId, amount, transactionHash: recorded.transaction.hash });
  return { ...recorded, stakeId, deliveryDeposit };
}

/** The vault, for whoever may read it and for everyone who holds its tokens (design D8). */
async function vaultOfHolder(
  { tx }: TransactionContext,
  { vaultId, caller }: Staking,
  facts: () => WalletPrefetch,
): Promise<Vault> {
  const vault = await findVault(tx, vaultId);
  if (!vault) throw new ServiceError('VAULT_NOT_FOUND');
  if (await isReadable(tx, caller, vault)) return vault;
  const holdsTokens = facts().utxos.some(({ assets }) => assets.has(vault.ftUnit));
  if (!holdsTokens) throw new ServiceError('VAULT_NOT_FOUND');
  return vault;
}

function readAmount(amount: number | string, { terms: { ftDecimals, ftSupply } }: Vault): BaseUnits {
  const units = parseTokenAmount(amount, ftDecimals);
  if (units !== undefined && units > 0n && units <= ftSupply) return units;
  const message = `A stake is more than 0 and no more than there are tokens, with at most ${ftDecimals} decimals`;
  throw fieldError('INVALID_QUANTITY', 'amount', message);
}

/** The slot from which the owner needs nobody else, and its very beginning. */
function releaseAfter(now: Instant, anchor: SlotAnchor): { releaseSlot: number; ownerAloneFrom: Instant } {
  const releaseSlot = slotAt(anchor, ownerAloneFrom(now));
  return { releaseSlot, ownerAloneFrom: instantOfSlot(anchor, releaseSlot) };
}

interface Told {
  readonly stakeId: string;
  readonly amount: BaseUnits;
  readonly transactionHash: string;
}

async function tell(
  { tx, now }: TransactionContext,
  { ids }: ServiceContext,
  { vaultId, staker, caller, correlationId }: Staking,
  { stakeId, amount, transactionHash }: Told,
): Promise<void> {
  const data = { stakeId, amountBaseUnits: amount.toString() };
  const told = { vaultId, actor: staker.address, transactionHash, correlationId, data };
  await recordEvent(tx, ids, { type: 'STAKE_STARTED', ...told }, now);
  const deed = { action: 'STAKE_STARTED', resource: { type: 'stake', id: stakeId }, caller } as const;
  const { onBehalfOf } = staker;
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf, metadata: { vaultId, transactionHash } } });
}
