import type { Payer } from '../../chain/build/funding.ts';
import type { BuiltTransaction, Utxo } from '../../chain/transaction.ts';
import { paymentKeyHashOf } from '../../chain/scripts/address.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { inputsAwaitingSignature } from '../../store/utxo-leases.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import type { TransactionKind } from '../../domain/transaction/transaction-state.ts';
import type { Window } from '../../domain/vault/window.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import type { Actor } from '../actor.ts';
import type { EventData } from '../../store/event-data/event-data.ts';
import { type CallerAction, publishActions } from '../publish.ts';
import { requireTimeToLand } from '../vaults/require-vault-state.ts';
import { startTransactionWorkflow } from './start-transaction-workflow.ts';
import { buildAndRecord, type RecordedTransaction } from './record-transaction.ts';
import { buildWithPlatformFunds } from '../../chain/build/funding.ts';
import { deadlineBefore } from '../../chain/ledger/deadline.ts';
import type { WalletPrefetch } from './wallet-prefetch.ts';

/** A transaction that brings something of a wallet's into a vault. */
type WalletTransaction = WalletTransactionFields & StartedBy;

interface WalletTransactionFields {
  readonly kind: Extract<TransactionKind, 'add_asset' | 'invest' | 'stake'>;
  readonly vaultId: string;
  /** Pays for the transaction and signs it. */
  readonly actor: Actor;
  readonly prefetch: WalletPrefetch;
  /** The transaction must land before this window ends; null when it may land later. */
  readonly window: Window | null;
  readonly build: (payer: Payer, ttlSlot: number) => BuiltTransaction;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** Type of the event and action of the audit entry, and what the transaction brings. */
type StartedBy = {
  [Action in 'ASSET_ADD_STARTED' | 'INVESTMENT_STARTED' | 'STAKE_STARTED']: {
    readonly action: Action;
    readonly brought: readonly {
      readonly resource: { readonly type: 'asset' | 'investment' | 'stake'; readonly id: string };
      readonly eventData: EventData[Action];
    }[];
  };
}['ASSET_ADD_STARTED' | 'INVESTMENT_STARTED' | 'STAKE_STARTED'];

export interface StartedTransaction extends RecordedTransaction {
  readonly transactionId: string;
}

/**
 * Builds and records a transaction that the actor pays for, starts its workflow, and publishes the start. Throws what `build`
 * throws, SERVICE_NOT_READY, and the window's _CLOSED when too little time is left.
 */
export async function startWalletTransaction(
  context: TransactionContext,
  { build, window, ...start }: WalletTransaction,
): Promise<StartedTransaction> {
  const { kind, vaultId, actor } = start;
  const { chain, utxos } = start.prefetch;
  const deadline = deadlineBefore(window?.endsAt ?? null, context.now, chain.anchor);
  if (window) requireTimeToLand(deadline, window, context);

  const { address, paymentKeyHash: keyHash, signer } = actor;
  const id = context.ids.next();
  const isElsewhere = (utxo: Utxo) => paymentKeyHashOf(utxo.address) !== keyHash;
  const record = { id, kind, vaultId, ownerWorkflow: transactionWorkflowId(id), signer, wallet: address };
  const source = { address, utxos: await unpromised(context, actor, utxos), deadline, anchor: chain.anchor };
  const recorded = await buildAndRecord(
    context,
    { ...record, leasedWhenSigned: isElsewhere },
    source,
    (free, ttlSlot) => {
      const keyOf = (utxo: Utxo) => paymentKeyHashOf(utxo.address);
      const buildFrom = () => build({ address, keyHash, keyOf, utxos: free }, ttlSlot);
      return signer === 'platform' ? buildWithPlatformFunds(buildFrom) : buildFrom();
    },
  );
  await startTransactionWorkflow(context, record);
  await publishStart(context, start, recorded.transaction.hash);
  return { ...recorded, transactionId: id };
}

/** Those of the UTxOs that no unsigned transaction of the wallet spends: what is not leased before its signature could be taken twice. */
async function unpromised({ tx }: TransactionContext, { address, funds }: Actor, utxos: readonly Utxo[]) {
  if (!funds) return utxos;
  const promised = new Set((await inputsAwaitingSignature(tx, address)).map(refText));
  return utxos.filter((utxo) => !promised.has(refText(utxo)));
}

async function publishStart(
  context: TransactionContext,
  { vaultId, actor, brought, action, caller, correlationId }: Omit<WalletTransaction, 'build' | 'window'>,
  transactionHash: string,
): Promise<void> {
  const { address, onBehalfOf } = actor;
  const metadata = { vaultId, transactionHash };
  const published = { action, vaultId, actor: address, transactionHash, metadata, caller, onBehalfOf, correlationId };
  await publishActions(
    context,
    // The map loses that the data belong to the action.
    brought.map((item) => ({ ...published, ...item }) as CallerAction),
  );
}
