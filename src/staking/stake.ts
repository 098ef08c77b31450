import type { ActingWallet } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import { buildStake, stakeDeposit } from '../cardano/build/staking.ts';
import { instantOfSlot, type SlotAnchor, slotAt } from '../cardano/ledger/slots.ts';
import { stakeAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { ServiceContext } from '../context.ts';
import { requireNotPaused } from '../operations/require-not-paused.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { Instant } from '../platform/units/time.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { insertStake } from './queries/stakes.ts';
import { ownerAloneFrom } from './rules.ts';
import {
  type StartedTransaction,
  startWalletTransaction,
  type WalletPrefetch,
  prefetchWallet,
} from '../transactions/start-wallet-transaction.ts';
import { findVault } from '../vaults/queries/vaults.ts';
import { requireHeldVault, unknownUnit } from '../vaults/holds.ts';
import { requireFtUnit, requireLockedVault, isReadable } from '../vaults/require-vault.ts';
import { parseFtAmount } from '../vaults/rules/vault.ts';

interface StakeInput {
  readonly vaultId: string;
  /** Whole tokens. */
  readonly amount: number | string;
  readonly staker: ActingWallet;
  readonly caller: Caller;
  readonly correlationId: string;
}

interface StartedStake extends StartedTransaction {
  readonly stakeId: string;
  readonly deliveryDeposit: Lovelace;
}

/** Records a stake and the transaction that brings its tokens to the staker's own script, in a locked vault. */
export async function stake(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  input: StakeInput,
  prefetch: WalletPrefetch,
): Promise<StartedStake> {
  const { staker, caller, correlationId } = input;
  await requireNotPaused(context.tx, 'governance');
  const vault = await requireHeldVault(context, { ...input, holder: staker }, prefetch.utxos);
  requireLockedVault(vault);
  const amount = parseFtAmount(input.amount, vault.terms);

  const { chain } = prefetch;
  const id = context.ids.next();
  const release = releaseAfter(context.now, chain.anchor);
  const script = { ownerKeyHash: staker.paymentKeyHash, releaseSlot: release.releaseSlot };
  const { address: scriptAddress } = stakeAddressOf(vault, script, networkId);
  const deliveryDeposit = stakeDeposit(chain.parameters);
  const tokens = { stakeAddress: scriptAddress, ftUnit: requireFtUnit(vault), amount, returnDeposit: deliveryDeposit };
  const staked = { id, vaultId: vault.id, wallet: staker.address, amount, stakedAt: context.now, ...release };
  const ofScript = { scriptAddress, vaultKeyHash: vault.vaultKeyHash };
  const started = await startWalletTransaction(context, {
    kind: 'stake',
    vaultId: vault.id,
    actor: staker,
    prefetch,
    window: null,
    build: (payer, ttlSlot) => buildStake(chain, { owner: payer, ...tokens, ttlSlot }),
    record: (stakeTransactionId) => insertStake(context.tx, { ...staked, ...ofScript, stakeTransactionId }),
    action: 'STAKE_STARTED',
    brought: [{ resource: { type: 'stake', id }, eventData: { stakeId: id, amountBaseUnits: amount.toString() } }],
    caller,
    correlationId,
  });
  return { ...started, stakeId: id, deliveryDeposit };
}

/** The slot from which the owner can take the stake back alone, and the instant that slot begins. */
function releaseAfter(now: Instant, anchor: SlotAnchor): { releaseSlot: number; ownerAloneFrom: Instant } {
  const releaseSlot = slotAt(anchor, ownerAloneFrom(now));
  return { releaseSlot, ownerAloneFrom: instantOfSlot(anchor, releaseSlot) };
}

/**
 * Reads what a staker can pay with. Throws the errors of `requireLockedVault` before it asks the ledger, and LEDGER_UNAVAILABLE. For an
 * absent vault it asks as much as for one that the caller may not read: `stake` refuses both, and neither sooner.
 */
export async function prefetchStake(
  context: Pick<ServiceContext, 'db' | 'networkState' | 'ledger' | 'networkId'>,
  { vaultId, caller, staker }: { readonly vaultId: string; readonly caller: Caller; readonly staker: ActingWallet },
): Promise<WalletPrefetch> {
  const vault = await findVault(context.db, vaultId);
  // Whoever may not read the vault must hold its tokens to hear anything of it, and only the ledger knows that.
  if (vault && (await isReadable(context.db, caller, vault))) requireLockedVault(vault);
  return prefetchWallet(context, staker, [vault?.ftUnit ?? unknownUnit]);
}
