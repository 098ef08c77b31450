import type { ActingWallet } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import { buildClaim } from '../cardano/build/termination.ts';
import { sumHoldings } from '../cardano/build/values.ts';
import { claimsAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { Utxo, Unit } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import { moveTransaction } from '../ledger-follower/effects.ts';
import type { Transaction } from '../platform/database/database.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError, withDetails } from '../platform/errors.ts';
import type { Instant } from '../platform/units/time.ts';
import { type BaseUnits, baseUnits } from '../platform/units/money.ts';
import { claimableOutputs } from '../settlement/queries/outputs.ts';
import { stakedBy } from '../staking/queries/vault-stakes.ts';
import {
  insertClaim,
  type NewClaim,
  inputsOfUnsignedClaims,
  sentClaims,
  type SentClaim,
  findClaimOfTransaction,
  unfinishedClaimTransactions,
} from './queries/claims.ts';
import { findTermination } from './queries/terminations.ts';
import { claimsEnd, requireClaimable, requirePayout, isStale } from './rules/claims.ts';
import { lockTransaction } from '../transactions/queries/transactions.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { isAnySent } from '../transactions/queries/listed-transactions.ts';
import { refText } from '../transactions/rules.ts';
import {
  type StartedTransaction,
  startWalletTransaction,
  availableUtxos,
  prefetchWallet,
  type WalletPrefetch,
} from '../transactions/start-wallet-transaction.ts';
import { type Vault, findVault } from '../vaults/queries/vaults.ts';
import { requireHeldVault, requireHolding, unknownUnit } from '../vaults/holds.ts';
import { requireFtUnit, isReadable } from '../vaults/require-vault.ts';
import { parseFtAmount } from '../vaults/rules/vault.ts';

interface ClaimInput {
  readonly vaultId: string;
  /** Whole tokens; all that the wallet has when absent. */
  readonly amount: number | string | undefined;
  readonly holder: ActingWallet;
  readonly caller: Caller;
  readonly correlationId: string;
}

interface StartedClaim extends StartedTransaction {
  readonly claimId: string;
  /** What the wallet has staked, which it can claim for once it is unstaked. */
  readonly staked: BaseUnits;
}

/**
 * Records a claim and the transaction in which the holder returns tokens and is paid out of the pot; it replaces the wallet's unsigned
 * claims from this vault. It reserves nothing: no claim makes the share of another one smaller, and outputs of the pot are leased with the
 * signature.
 */
export async function claim(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  input: ClaimInput,
  prefetch: ClaimPrefetch,
): Promise<StartedClaim> {
  const { tx, now } = context;
  const { holder } = input;
  const vault = await requireHeldVault(context, input, prefetch.utxos);
  const termination = await findTermination(tx, vault.id);
  requireClaimable(termination, now);
  await requireNoSaleUnderWay(tx, vault.id);
  await lockExclusive(tx, `wallet:${holder.address}`);
  await supersedeUnsignedClaims(context, vault.id, holder.address);

  const staked = await stakedBy(tx, vault.id, holder.address);
  const amount = await namingStaked(staked, () => claimedAmount(context, vault, input, prefetch.utxos));
  const claimed = { id: context.ids.next(), vaultId: vault.id, wallet: holder.address, amount };
  const payout = requirePayout(termination.pot, amount);
  const draft = { claimed: { ...claimed, payout }, vault, endsAt: claimsEnd(termination), networkId };
  const started = await namingStaked(staked, () => startClaim(context, input, draft, prefetch));
  return { ...started, claimId: claimed.id, staked };
}

interface ClaimDraft extends Pick<ServiceContext, 'networkId'> {
  readonly claimed: Omit<NewClaim, 'transactionId'>;
  readonly vault: Vault;
  readonly endsAt: Instant | null;
}

async function startClaim(
  context: TransactionContext,
  { holder, caller, correlationId }: ClaimInput,
  { claimed, vault, endsAt, networkId }: ClaimDraft,
  prefetch: ClaimPrefetch,
): Promise<StartedTransaction> {
  const { id: claimId, amount, payout } = claimed;
  const { vaultKeyHash } = vault;
  const pot = { ...claimsAddressOf(vault, networkId), vaultKeyHash };
  const ftUnit = requireFtUnit(vault);
  const eventData = { claimId, amountBaseUnits: amount.toString(), payoutLovelace: payout.toString() };
  return startWalletTransaction(context, {
    kind: 'claim',
    vaultId: vault.id,
    actor: holder,
    prefetch,
    window: null,
    endsAt,
    vaultFunds: {
      utxos: await leastWanted(context.tx, { vaultId: vault.id, claimId, pot: prefetch.pot }),
      keyHash: vaultKeyHash,
    },
    build: (payer, ttlSlot, free) =>
      buildClaim(prefetch.chain, { holder: payer, pot: { ...pot, free }, ftUnit, amount, payout, ttlSlot }),
    record: (transactionId) => insertClaim(context, { ...claimed, transactionId }),
    action: 'CLAIM_STARTED',
    brought: [{ resource: { type: 'claim', id: claimId }, eventData }],
    caller,
    correlationId,
  });
}

/** Runs `work`. An ASSET_NOT_IN_WALLET of it says how much of what is missing the wallet has staked. */
async function namingStaked<Result>(staked: BaseUnits, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'ASSET_NOT_IN_WALLET') throw cause;
    throw withDetails(cause, { stakedBaseUnits: staked.toString() });
  }
}

/** The base units to claim for: those that the request names, or all in outputs of the wallet that no transaction of its own holds. */
async function claimedAmount(
  context: TransactionContext,
  vault: Vault,
  { amount, holder }: ClaimInput,
  utxos: readonly Utxo[],
): Promise<BaseUnits> {
  if (amount !== undefined) return parseFtAmount(amount, vault.terms);
  const unit = requireFtUnit(vault);
  const free = await excludeLeased(context.tx, await availableUtxos(context, holder, utxos));
  const held = sumHoldings(free).assets.get(unit) ?? 0n;
  if (held > 0n) return baseUnits(held);
  const details = { unit, required: '1', available: '0', wallet: holder.address };
  throw new ServiceError('ASSET_NOT_IN_WALLET', details);
}

/** Unsigned claims that are counted. Whoever asks for more of them can steer the choice, but hold no output. */
const COUNTED = 200;

interface PotChoice {
  readonly vaultId: string;
  readonly claimId: string;
  readonly pot: PotPrefetch;
}

/**
 * The outputs of a pot in the order in which a claim tries them: first those that the fewest unsigned claims spend, because the first
 * signature takes an output from the others. Among equals those in a block come first, and each claim begins at another one.
 */
async function leastWanted(tx: Transaction, { vaultId, claimId, pot }: PotChoice): Promise<readonly Utxo[]> {
  const wanted = new Map<string, number>();
  for (const input of await inputsOfUnsignedClaims(tx, vaultId, COUNTED)) {
    const ref = refText(input);
    wanted.set(ref, (wanted.get(ref) ?? 0) + 1);
  }
  const claimsOf = (output: Utxo) => wanted.get(refText(output)) ?? 0;
  const groups = [pot.inBlocks, await chainedNow(tx, vaultId, pot)];
  const outputs = groups.flatMap((group) => startingAnywhere(group, claimId));
  return outputs.toSorted((one, other) => claimsOf(one) - claimsOf(other));
}

/** What claims leave that are signed by now. Those that have been confirmed or ended since `pot` was read only connect the others to the ledger. */
async function chainedNow(tx: Transaction, vaultId: string, pot: PotPrefetch): Promise<Utxo[]> {
  const sent = await sentClaims(tx, vaultId, pot.address);
  const before = pot.sent.map((claim) => ({ ...claim, change: null }));
  const byHash = new Map([...before, ...sent].map((claim) => [claim.hash, claim]));
  const known = new Set(pot.inBlocks.map(refText));
  return chainedOutputs([...byHash.values()], pot.onLedger).filter((output) => !known.has(refText(output)));
}

function startingAnywhere(outputs: readonly Utxo[], claimId: string): readonly Utxo[] {
  const first = Number.parseInt(claimId.slice(-8), 16) % Math.max(1, outputs.length);
  return [...outputs.slice(first), ...outputs.slice(0, first)];
}

/** What a claim is built from, read before the unit of work. */
interface ClaimPrefetch extends WalletPrefetch {
  readonly pot: PotPrefetch;
}

/** A pot as it was before the unit of work. */
interface PotPrefetch {
  readonly address: string;
  /** All that the ledger has at its address. */
  readonly onLedger: readonly Utxo[];
  /** Those that claims can spend, which a block has. */
  readonly inBlocks: readonly Utxo[];
  readonly sent: readonly SentClaim[];
}

/**
 * Reads what a holder and the pot of a vault have on the ledger. For an absent vault it asks as much as for one that the caller may
 * not read, which is what the wallet has.
 */
export async function prefetchClaim(
  context: Pick<ServiceContext, 'db' | 'networkState' | 'ledger' | 'networkId' | 'readingTime'>,
  { vaultId, caller, holder }: { readonly vaultId: string; readonly caller: Caller; readonly holder: ActingWallet },
): Promise<ClaimPrefetch> {
  const { db, networkId } = context;
  const vault = await findVault(db, vaultId);
  const mayRead = vault !== null && (await isReadable(db, caller, vault));
  if (mayRead) requireClaimable(await findTermination(db, vaultId), await context.readingTime());
  const ftUnit = vault?.ftUnit ?? unknownUnit;
  const reading = prefetchWallet(context, holder, [ftUnit]);
  // Whoever may not read the vault must hold its tokens to hear anything of it, and only the ledger knows that.
  if (!mayRead) requireHolding(vault, holder, (await reading).utxos);
  const { address } = claimsAddressOf(vault, networkId);
  const [wallet, pot] = await Promise.all([reading, prefetchPot(context, { vaultId, ftUnit, address })]);
  return { ...wallet, pot };
}

async function prefetchPot(
  { db, ledger }: Pick<ServiceContext, 'db' | 'ledger'>,
  { vaultId, ftUnit, address }: { readonly vaultId: string; readonly ftUnit: Unit; readonly address: string },
): Promise<PotPrefetch> {
  // Before the ledger: what is confirmed meanwhile is in one of both.
  const sent = await sentClaims(db, vaultId, address);
  const onLedger = await ledger.custodyUtxos(address);
  return { address, onLedger, inBlocks: await claimableOutputs(db, { vaultId, ftUnit }, onLedger), sent };
}

/** So many claims at most are lost with one that is never confirmed, each out of the change of the one before. */
const MAX_CHAINED = 10;

/**
 * What signed claims leave in the pot, which the next claims can spend before a block has it; that of the shortest chains first. Left
 * out is what cannot be confirmed: a claim that spends what neither the ledger has (`onLedger`, at the address of the pot) nor a signed claim
 * makes.
 */
export function chainedOutputs(sent: readonly SentClaim[], onLedger: readonly Utxo[]): Utxo[] {
  const held = new Set(onLedger.map(refText));
  const byChange = new Map(sent.map((claim) => [changeOf(claim), claim]));
  const lengths = new Map<SentClaim, number>();

  /** How many claims of the chain no block has; infinite when it cannot be confirmed. */
  function lengthOf(claim: SentClaim): number {
    const length = lengths.get(claim) ?? 1 + Math.max(...claim.spends.map(lengthBefore));
    lengths.set(claim, length);
    return length;
  }

  function lengthBefore(spent: string): number {
    if (held.has(spent)) return 0;
    const producer = byChange.get(spent);
    return producer ? lengthOf(producer) : Infinity;
  }

  return sent
    .map((claim) => ({ claim, length: lengthBefore(changeOf(claim)) }))
    .filter(({ length }) => length < MAX_CHAINED)
    .toSorted((one, other) => one.length - other.length)
    .flatMap(({ claim: { change } }) => change ?? []);
}

/** A claim leaves one output in the pot, its first. */
function changeOf({ hash }: SentClaim): string {
  return refText({ txHash: hash, index: 0 });
}

/**
 * Throws CLAIMS_AWAIT_SALE while a sale is sent that is not final: who claimed before its price is in the pot would get nothing of it,
 * and nobody would if these were the last tokens.
 */
export async function requireNoSaleUnderWay(tx: Transaction, vaultId: string): Promise<void> {
  if (await isAnySent(tx, vaultId, ['execute'])) throw new ServiceError('CLAIMS_AWAIT_SALE');
}

/**
 * Throws TRANSACTION_EXPIRED for a claim whose holder would sign a part of their share away: since it was built, the price of a sale came
 * into the pot. Those who remain would get it.
 */
export async function requireCurrentShare(tx: Transaction, transactionId: string): Promise<void> {
  const claim = await findClaimOfTransaction(tx, transactionId);
  const termination = claim && (await findTermination(tx, claim.vaultId));
  if (!termination || !isStale(claim, termination.pot)) return;
  throw new ServiceError('TRANSACTION_EXPIRED', { reason: 'the pot has more for these tokens now: claim again' });
}

/**
 * Ends the claims of a wallet that it has not signed, so that their tokens are free for another one. They cannot be confirmed: the vault signs
 * after the wallet.
 */
async function supersedeUnsignedClaims(context: TransactionContext, vaultId: string, wallet: string): Promise<void> {
  for (const transactionId of await unfinishedClaimTransactions(context.tx, vaultId, wallet)) {
    const transaction = await lockTransaction(context.tx, transactionId);
    if (transaction?.state !== 'awaiting_signatures') continue;
    await moveTransaction(context, transaction, { to: 'expired', reason: 'superseded by another claim' });
  }
}
