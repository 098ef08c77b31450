import type { OperationNodeSource } from 'kysely';
import type { Payer } from '../cardano/build/funding.ts';
import type { BuiltTransaction, KeyHash, Utxo } from '../cardano/transaction.ts';
import { paymentKeyHashOf, readPaymentKeyHash } from '../cardano/scripts/address.ts';
import type { Caller } from '../access/rules/caller.ts';
import type { TransactionKind } from './rules/transaction-state.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Window } from '../vaults/rules/window.ts';
import { together } from '../platform/database/run-together.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { Actor } from '../access/actor.ts';
import type { EventData } from '../events/queries/event-data/event-data.ts';
import { actionInserts, type CallerAction } from '../events/publish.ts';
import { requireTimeToLand } from '../vaults/require-vault-state.ts';
import { workflowStartInsert } from './start-transaction-workflow.ts';
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
  /** As for `buildAndRecord`. */
  readonly free?: readonly Utxo[] | null;
  /** The transaction must land before this window ends; null when it may land later. */
  readonly window: Window | null;
  /** As `window`, for an end that is not a window's. */
  readonly endsAt?: Instant | null;
  /** Outputs of the vault that it may spend too. */
  readonly vaultFunds?: VaultFunds;
  /** `fromVault` are those of `vaultFunds` that no transaction holds. */
  readonly build: (payer: Payer, ttlSlot: number, fromVault: readonly Utxo[]) => BuiltTransaction;
  /** What it brings, as rows that are recorded with it. */
  readonly inserts: (transactionId: string) => readonly OperationNodeSource[];
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
  { build, inserts, window, endsAt = null, vaultFunds, free = null, ...start }: WalletTransaction,
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
  const source = { address, utxos: available, deadline, anchor: chain.anchor, free };
  const untilSigned = (expiresAt: Instant) => (signer === 'wallet' ? { kind, expiresAt } : undefined);
  const recorded = await buildAndRecord(
    context,
    { ...record, ...signing(actor, vaultFunds) },
    source,
    (free, ttlSlot) => {
      const keyOf = (utxo: Utxo) => paymentKeyHashOf(utxo.address);
      const payer = { address, keyHash, keyOf, utxos: free.filter((utxo) => !ofVault.has(utxo)) };
      const fromVault = free.filter((utxo) => ofVault.has(utxo));
      const buildFrom = () => build(payer, ttlSlot, fromVault);
      return signer === 'platform' ? buildWithPlatformFunds(buildFrom) : buildFrom();
    },
    ({ transaction: { hash }, expiresAt }) => [
      together(context.tx, [
        ...inserts(id),
        workflowStartInsert(context, record, untilSigned(expiresAt)),
        ...startInserts(context, start, hash),
      ]),
    ],
  );
  return { ...recorded, transactionId: id };
}

/**
 * Whose key of the platform signs too, and what is leased with the last signature only: anybody can name outputs of others, or of the
 * vault, without ever signing. The platform signs its own transactions at once.
 */
function signing({ signer, paymentKeyHash }: Actor, vaultFunds: VaultFunds | undefined) {
  if (signer === 'platform') return {};
  return {
    platformSigners: vaultFunds ? [vaultFunds.keyHash] : [],
    leasedWhenSigned: ({ address }: Utxo) => readPaymentKeyHash(address) !== paymentKeyHash,
  };
}

/** The event and the audit entry of the start. */
function startInserts(
  context: TransactionContext,
  {
    vaultId,
    actor,
    brought,
    action,
    caller,
    correlationId,
  }: Omit<WalletTransaction, 'build' | 'inserts' | 'window' | 'endsAt' | 'vaultFunds' | 'free'>,
  transactionHash: string,
): OperationNodeSource[] {
  const { address, onBehalfOf } = actor;
  const metadata = { vaultId, transactionHash };
  const published = { action, vaultId, actor: address, transactionHash, metadata, caller, onBehalfOf, correlationId };
  // The map loses that the data belong to the action.
  const actions = brought.map((item) => ({ ...published, ...item }) as CallerAction);
  return actionInserts(context, actions);
}
