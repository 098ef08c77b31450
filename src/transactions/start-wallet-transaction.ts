import type { Payer } from '../cardano/build/funding.ts';
import type { BuiltTransaction, KeyHash, Utxo } from '../cardano/transaction.ts';
import { paymentKeyHashOf, readPaymentKeyHash } from '../cardano/scripts/address.ts';
import type { Caller } from '../access/rules/caller.ts';
import type { TransactionKind } from './rules/transaction-state.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Window } from '../vaults/rules/window.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { Actor } from '../access/actor.ts';
import type { EventData } from '../events/queries/event-data/event-data.ts';
import { publishActions, type CallerAction } from '../events/publish.ts';
import { requireTimeToLand } from '../vaults/require-vault-state.ts';
import { startTransactionWorkflow } from './start-transaction-workflow.ts';
import { buildAndRecord, type RecordedTransaction } from './record-transaction.ts';
import { buildWithPlatformFunds } from '../cardano/build/funding.ts';
import { deadlineBefore } from '../cardano/ledger/deadline.ts';
import { unpromisedUtxos } from './unpromised-utxos.ts';
import type { WalletPrefetch } from './wallet-prefetch.ts';

/** A transaction that brings something of a wallet's to a vault. */
type WalletTransaction = WalletTransactionFields & StartedBy;

interface WalletTransactionFields {
  readonly kind: Extract<TransactionKind, 'add_asset' | 'invest' | 'stake' | 'claim'>;
  readonly vaultId: string;
  /** Pays for the transaction and signs it. */
  readonly actor: Actor;
  readonly prefetch: WalletPrefetch;
  /** The transaction must land before this window ends; null when it may land later. */
  readonly window: Window | null;
  /** As `window`, for an end that is not a window's. */
  readonly endsAt?: Instant | null;
  /** Outputs of the vault that it may spend too. */
  readonly vaultFunds?: VaultFunds;
  /** `fromVault` are those of `vaultFunds` that no transaction holds. */
  readonly build: (payer: Payer, ttlSlot: number, fromVault: readonly Utxo[]) => BuiltTransaction;
  /** Records what it brings. */
  readonly record: (transactionId: string) => Promise<void>;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** Outputs of a vault, and the key of the vault that signs for them. */
interface VaultFunds {
  readonly utxos: readonly Utxo[];
  readonly keyHash: KeyHash;
}

/** Type of the event and action of the audit entry, and what the transaction brings. */
type StartedBy = {
  [Action in StartAction]: {
    readonly action: Action;
    readonly brought: readonly {
      readonly resource: { readonly type: 'asset' | 'investment' | 'stake' | 'claim'; readonly id: string };
      readonly eventData: EventData[Action];
    }[];
  };
}[StartAction];

type StartAction = 'ASSET_ADD_STARTED' | 'INVESTMENT_STARTED' | 'STAKE_STARTED' | 'CLAIM_STARTED';

export interface StartedTransaction extends RecordedTransaction {
  readonly transactionId: string;
}

/**
 * Builds and records a transaction that the actor pays for, starts its workflow, and publishes the start. Throws what `build`
 * throws, SERVICE_NOT_READY, and the window's _CLOSED when too little time is left.
 */
export async function startWalletTransaction(
  context: TransactionContext,
  { build, record: recordBrought, window, endsAt = null, vaultFunds, ...start }: WalletTransaction,
): Promise<StartedTransaction> {
  const { kind, vaultId, actor } = start;
  const { chain, utxos } = start.prefetch;
  const deadline = deadlineBefore(window?.endsAt ?? endsAt, context.now, chain.anchor);
  if (window) requireTimeToLand(deadline, window, context);

  const { address, paymentKeyHash: keyHash, signer } = actor;
  const id = context.ids.next();
  const record = { id, kind, vaultId, ownerWorkflow: transactionWorkflowId(id), signer, wallet: address };
  const ofVault = new Set(vaultFunds?.utxos);
  const available = [...(await unpromisedUtxos(context, actor, utxos)), ...ofVault];
  const source = { address, utxos: available, deadline, anchor: chain.anchor };
  const recorded = await buildAndRecord(
    context,
    { ...record, ...signersOf(actor, vaultFunds) },
    source,
    (free, ttlSlot) => {
      const keyOf = (utxo: Utxo) => paymentKeyHashOf(utxo.address);
      const payer = { address, keyHash, keyOf, utxos: free.filter((utxo) => !ofVault.has(utxo)) };
      const fromVault = free.filter((utxo) => ofVault.has(utxo));
      const buildFrom = () => build(payer, ttlSlot, fromVault);
      return signer === 'platform' ? buildWithPlatformFunds(buildFrom) : buildFrom();
    },
  );
  await recordBrought(id);
  const signing = signer === 'wallet' ? { kind, expiresAt: recorded.expiresAt } : undefined;
  await startTransactionWorkflow(context, record, signing);
  await publishStart(context, start, recorded.transaction.hash);
  return { ...recorded, transactionId: id };
}

/**
 * Whose key of the platform signs too, and what is leased with the last signature only: anybody can name outputs of others, or of the
 * vault, without ever signing. The platform signs its own transactions at once.
 */
function signersOf({ signer, paymentKeyHash }: Actor, vaultFunds: VaultFunds | undefined) {
  if (signer === 'platform') return {};
  return {
    platformSigners: vaultFunds ? [vaultFunds.keyHash] : [],
    leasedWhenSigned: ({ address }: Utxo) => readPaymentKeyHash(address) !== paymentKeyHash,
  };
}

/** Publishes the start of each thing that it brings. */
async function publishStart(
  context: TransactionContext,
  {
    vaultId,
    actor,
    brought,
    action,
    caller,
    correlationId,
  }: Omit<WalletTransaction, 'build' | 'record' | 'window' | 'endsAt' | 'vaultFunds'>,
  transactionHash: string,
): Promise<void> {
  const { address, onBehalfOf } = actor;
  const metadata = { vaultId, transactionHash };
  const published = { action, vaultId, actor: address, transactionHash, metadata, caller, onBehalfOf, correlationId };
  // The map loses that the data belong to the action.
  const actions = brought.map((item) => ({ ...published, ...item }) as CallerAction);
  await publishActions(context, actions);
}
