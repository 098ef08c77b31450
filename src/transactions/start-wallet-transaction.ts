import type { ActingWallet, NamedUtxo } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import { type Payer, buildWithPlatformFunds } from '../cardano/build/funding.ts';
import type { WalletUtxo } from '../cardano/cbor/wallet-utxo.ts';
import { deadlineBefore } from '../cardano/ledger/http.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { paymentKeyHashOf, readPaymentKeyHash, readWalletAddress } from '../cardano/scripts/address.ts';
import type { BuiltTransaction, KeyHash, Utxo, Unit } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import { publishActions, type CallerAction } from '../events/publish.ts';
import type { EventData } from '../events/queries/event-data.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { FieldProblem } from '../platform/error-registry.ts';
import { ServiceError } from '../platform/errors.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { Instant } from '../platform/units/time.ts';
import { inputsAwaitingSignature } from './queries/utxo-leases.ts';
import { buildAndRecord, type RecordedTransaction, startTransactionWorkflow } from './record-transaction.ts';
import { type TransactionKind, refText } from './rules.ts';
import { requireTimeToConfirm } from '../vaults/require-vault.ts';
import type { Window } from '../vaults/rules/window.ts';

/** A transaction that brings something of a wallet's to a vault. */
type WalletTransaction = WalletTransactionFields & StartedBy;

interface WalletTransactionFields {
  readonly kind: Extract<TransactionKind, 'add_asset' | 'invest' | 'stake' | 'claim'>;
  readonly vaultId: string;
  /** Pays for the transaction and signs it. */
  readonly actor: ActingWallet;
  readonly prefetch: WalletPrefetch;
  /** The transaction must be confirmed before this window ends; null when it may be confirmed later. */
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

/** Builds and records a transaction that the actor pays for, starts its workflow, and publishes the start. */
export async function startWalletTransaction(
  context: TransactionContext,
  { build, record: recordBrought, window, endsAt = null, vaultFunds, ...start }: WalletTransaction,
): Promise<StartedTransaction> {
  const { kind, vaultId, actor } = start;
  const { chain, utxos } = start.prefetch;
  const deadline = deadlineBefore(window?.endsAt ?? endsAt, context.now, chain.anchor);
  if (window) requireTimeToConfirm(deadline, window, context);

  const { address, paymentKeyHash: keyHash, signer } = actor;
  const id = context.ids.next();
  const record = { id, kind, vaultId, ownerWorkflow: transactionWorkflowId(id), signer, wallet: address };
  const ofVault = new Set(vaultFunds?.utxos);
  const available = [...(await availableUtxos(context, actor, utxos)), ...ofVault];
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
function signersOf({ signer, paymentKeyHash }: ActingWallet, vaultFunds: VaultFunds | undefined) {
  if (signer === 'platform') return {};
  return {
    platformSigners: vaultFunds ? [vaultFunds.keyHash] : [],
    leasedWhenSigned: ({ address }: Utxo) => readPaymentKeyHash(address) !== paymentKeyHash,
  };
}

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

/** What was fetched, before the unit of work, to build a transaction that a wallet pays for. */
export interface WalletPrefetch {
  readonly chain: NetworkState;
  /** Of the wallet; all at addresses of payment keys. */
  readonly utxos: readonly Utxo[];
}

type Context = Pick<ServiceContext, 'networkState' | 'ledger' | 'networkId'>;

/** A request must not take all of the ledger's capacity. */
const READ_AT_ONCE = 5;
/** A wallet with more used addresses or more UTxOs names those that it wants to spend. */
const MAX_STAKE_ADDRESSES = 100;
const MAX_UTXOS = 1_000;

/** Reads what a wallet can pay with, and where it holds `units`: at its address, or whatever else the request names of it. */
export async function prefetchWallet(
  context: Context,
  { address, funds }: Pick<ActingWallet, 'address' | 'funds'>,
  units: readonly Unit[] = [],
): Promise<WalletPrefetch> {
  const { ledger, networkState, networkId } = context;
  const addresses = async () => {
    if (!funds) return [address];
    if (funds.kind === 'utxos') return funds.utxos.map((utxo) => utxo.address);
    const found = await ledger.stakeAddresses(funds.address, MAX_STAKE_ADDRESSES);
    return [address, ...found.filter((one) => typeof readWalletAddress(one, networkId) !== 'string')];
  };
  const [chain, utxos] = await Promise.all([networkState(), addresses().then((all) => utxosAt(ledger, all, units))]);
  return { chain, utxos: funds?.kind === 'utxos' ? requireAsNamed(funds.utxos, utxos) : utxos };
}

/** Reads addresses until enough is found: a stake address can name a hundred, of a stranger too, each with a thousand UTxOs. */
async function utxosAt(ledger: Ledger, addresses: readonly string[], units: readonly Unit[]): Promise<Utxo[]> {
  const found: Utxo[] = [];
  const left = [...new Set(addresses)];
  while (left.length > 0 && found.length < MAX_UTXOS) {
    const batch = left.splice(0, READ_AT_ONCE).map((address) => ledger.walletUtxos(address, units));
    found.push(...(await Promise.all(batch)).flat());
  }
  return found;
}

/** Those of the UTxOs that no unsigned transaction of the wallet spends: what is not leased before its signature could be taken twice. */
export async function availableUtxos(
  { tx }: TransactionContext,
  { address, funds }: ActingWallet,
  utxos: readonly Utxo[],
) {
  if (!funds) return utxos;
  const promised = new Set((await inputsAwaitingSignature(tx, address)).map(refText));
  return utxos.filter((utxo) => !promised.has(refText(utxo)));
}

/** The UTxOs on the ledger that a wallet names. */
function requireAsNamed(named: readonly NamedUtxo[], found: readonly Utxo[]): Utxo[] {
  const byRef = new Map(found.map((utxo) => [refText(utxo), utxo]));
  const wanted = named.map((claim) => {
    const utxo = byRef.get(refText(claim));
    if (utxo && isSame(claim, utxo)) return utxo;
    const message = 'The ledger has no unspent output with this reference and value.';
    const problem: FieldProblem = { code: 'UTXO_NOT_ON_LEDGER', message, field: `utxos.${claim.position}` };
    throw new ServiceError('UTXO_NOT_ON_LEDGER', { output: refText(claim), errors: [problem] });
  });
  return [...new Set(wanted)];
}

function isSame(claim: WalletUtxo, { address, lovelace, assets }: Utxo): boolean {
  const hasSameAssets =
    claim.assets.size === assets.size && [...claim.assets].every(([unit, quantity]) => assets.get(unit) === quantity);
  return claim.address === address && claim.lovelace === lovelace && hasSameAssets;
}
