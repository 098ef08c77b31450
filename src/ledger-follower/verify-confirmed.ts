import { lockAssetsAddedBy } from '../assets/queries/assets.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { NetworkId, Unit } from '../cardano/transaction.ts';
import { findInvestmentOfTransaction } from '../investments/queries/investments.ts';
import type { Move } from './effects.ts';
import { confirmedWithoutSignature } from './queries/followed-transactions.ts';
import { findPlatform } from '../operations/queries.ts';
import { UnreadableRow } from '../platform/database/decode-rows.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError, settleAll, throwFailures } from '../platform/errors.ts';
import {
  type DecodedTransaction,
  decodeOutputs,
  decodeTransaction,
  validSignaturesOf,
  readUntrusted,
} from '../signing-policy/decoder.ts';
import { assertAllowed } from '../signing-policy/policy.ts';
import {
  areInputsOf,
  areOutputsOf,
  signersOf,
  requireDeposited,
  requireSpent,
  requireStaked,
  confirmationChecks,
  type ConfirmationCheck,
} from '../signing-policy/confirmed.ts';
import { findStakeOfTransaction } from '../staking/queries/stakes.ts';
import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import { takenOutputs } from '../transactions/queries/recorded-transactions.ts';
import { storeConfirmed } from '../transactions/queries/changes.ts';
import { hasEnded } from '../transactions/rules.ts';
import { holdForOperator } from '../vaults/holds.ts';
import { isVaultErased } from '../vaults/queries/vault-changes.ts';
import { keyIndexesOf, getVault, type Vault } from '../vaults/queries/vaults.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * What the bytes of a transaction say; null where no transaction of the platform has such bytes. Throws unless a transaction has the bytes,
 * inputs and outputs of its hash: Postgres cannot compute hashes, so that whoever writes a row can give it that of any transaction on the
 * ledger. TRANSACTION_NOT_JUSTIFIED where the api may have recorded it, since vaults wait for what is open, and UnreadableRow where only the
 * worker has: fixed, that row still counts.
 */
function readOwnBytes(recorded: ChainTransaction): DecodedTransaction | null {
  const { id, kind, hash, unsignedCbor, inputs, outputs } = recorded;
  const decoded = readUntrusted(unsignedCbor, decodeTransaction);
  const confirmed = decoded ?? readUntrusted(unsignedCbor, decodeOutputs);
  const hasItsInputs = decoded === null || areInputsOf(decoded, inputs);
  if (confirmed?.hash === hash && areOutputsOf(confirmed, outputs) && hasItsInputs) return decoded;
  const reason = 'its bytes are of another transaction';
  assertAllowed(confirmationChecks[kind] === null, reason);
  throw new UnreadableRow('chain_transactions', id, reason);
}

/** What checks and records a confirmed transaction. */
export interface ConfirmationContext extends Pick<WorkerContext, 'networkId' | 'onSignatureRefused'> {
  readonly move: Move;
}

/** Refuses what has been confirmed as something else than its row says, and returns whether it did. */
export async function failIfNotAsRecorded(
  context: TransactionContext,
  transaction: ChainTransaction,
  confirmation: ConfirmationContext,
): Promise<boolean> {
  const reason = await reasonNotAllowed(context, transaction, confirmation);
  if (reason !== null) await refuseConfirmation(context, transaction, reason, confirmation);
  return reason !== null;
}

/** Why what has been confirmed is not what was recorded; null when it is. */
async function reasonNotAllowed(
  context: TransactionContext,
  recorded: ChainTransaction,
  { networkId }: ConfirmationContext,
): Promise<string | null> {
  try {
    const transaction = readOwnBytes(recorded);
    assertAllowed(transaction !== null, 'its bytes are not those of a transaction of the platform');
    await requireAsRecorded({ ...context, networkId }, { recorded, transaction });
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // A row whose wallet is not an address is refused, too.
    const reason = error.details?.['reason'];
    return typeof reason === 'string' ? reason : error.message;
  }
}

/** It is on the ledger, but not as what its row says: the row ends like one that can never be confirmed. A rollback changes nothing of that. */
async function refuseConfirmation(
  context: TransactionContext,
  transaction: ChainTransaction,
  reason: string,
  { move, onSignatureRefused }: ConfirmationContext,
): Promise<void> {
  const refusal = `what landed is something else than was recorded: ${reason}`;
  onSignatureRefused(transaction, refusal);
  const { vaultId, state } = transaction;
  if (vaultId !== null) await holdForOperator(context, vaultId, 'unjustified_transaction');
  if (hasEnded(state)) return;
  await move(context, transaction, { to: 'failed', reason: refusal });
}

/** Where a transaction that has been confirmed is compared with its rows. */
type CheckContext = TransactionContext & { readonly networkId: NetworkId };

/** A transaction in a block: its row, and its bytes, which have its hash. */
interface ConfirmedTransaction {
  readonly recorded: ChainTransaction;
  readonly transaction: DecodedTransaction;
}

/** Throws TRANSACTION_NOT_JUSTIFIED unless a key of its vault has signed it. */
async function requireKeyOfVault({ tx }: CheckContext, confirmed: ConfirmedTransaction): Promise<void> {
  const { vaultId } = confirmed.recorded;
  const keys = vaultId === null ? [] : await keyIndexesOf(tx, vaultId, signersOfConfirmed(confirmed));
  assertAllowed(keys.length > 0, 'no key of its vault has signed it');
}

/** Throws TRANSACTION_NOT_JUSTIFIED unless the operator has signed it. */
async function requireKeyOfOperator({ tx }: CheckContext, confirmed: ConfirmedTransaction): Promise<void> {
  const key = (await findPlatform(tx))?.operatorKeyHash;
  assertAllowed(key !== undefined && signersOfConfirmed(confirmed).includes(key), 'the operator has not signed it');
}

function signersOfConfirmed({ recorded: { id, signedCbor }, transaction }: ConfirmedTransaction): readonly string[] {
  if (signedCbor === null) throw new UnreadableRow('chain_transactions', id, 'nobody knows who has signed it');
  return signersOf(transaction, signedCbor);
}

type Check = (context: CheckContext, confirmed: ConfirmedTransaction) => Promise<void>;

const checks: Record<ConfirmationCheck, Check> = {
  stake: requireStake,
  investment: requireInvestment,
  assets: requireAssets,
  returned: requireReturned,
  'key of vault': requireKeyOfVault,
  'key of operator': requireKeyOfOperator,
};

/**
 * Throws TRANSACTION_NOT_JUSTIFIED unless a transaction that has been confirmed does what its row says: whoever runs code in the api can record that
 * of somebody else, with its own bytes. What brings something is compared with its row, and what returns something has to spend that. What a key of
 * the platform has to sign was checked against its row before (design D44): here it needs that signature.
 */
async function requireAsRecorded(context: CheckContext, confirmed: ConfirmedTransaction): Promise<void> {
  const { kind, vaultId } = confirmed.recorded;
  const check = confirmationChecks[kind];
  // Nothing counts in a vault that was erased, and there is nothing left to compare with.
  const isErased = check !== null && vaultId !== null && (await isVaultErased(context.tx, vaultId));
  if (check !== null && !isErased) await checks[check](context, confirmed);
}

async function requireStake(
  { tx, networkId }: CheckContext,
  { recorded, transaction }: ConfirmedTransaction,
): Promise<void> {
  const stake = await findStakeOfTransaction(tx, 'stake_transaction_id', recorded.id);
  assertAllowed(stake !== null, 'it brings no stake');
  const vault = await getVault(tx, stake.vaultId);
  const isOfVault = [vault, ...vault.formerCustodies].some(({ vaultKeyHash }) => vaultKeyHash === stake.vaultKeyHash);
  assertAllowed(isOfVault && vault.ftUnit !== null, 'its stake is guarded by no key of its vault');
  requireStaked(transaction, { ...stake, ftUnit: vault.ftUnit }, networkId);
}

async function requireInvestment(
  { tx, networkId }: CheckContext,
  { recorded, transaction }: ConfirmedTransaction,
): Promise<void> {
  const investment = await findInvestmentOfTransaction(tx, recorded.id);
  assertAllowed(investment !== null, 'it brings no investment');
  const { vaultId, wallet, lovelace, deliveryDeposit } = investment;
  const held = { index: 0, lovelace: lovelace + deliveryDeposit, assets: new Map<Unit, bigint>() };
  requireDeposited(transaction, { vault: await getVault(tx, vaultId), wallet, ...held }, networkId);
}

async function requireAssets(
  { tx, networkId }: CheckContext,
  { recorded, transaction }: ConfirmedTransaction,
): Promise<void> {
  const assets = await lockAssetsAddedBy(tx, recorded.id);
  assertAllowed(assets.length > 0, 'it brings no asset');
  let vault: Vault | undefined;
  for (const { vaultId, owner: wallet, depositIndex: index, quantity, policyId, assetName } of assets) {
    if (vault?.id !== vaultId) vault = await getVault(tx, vaultId);
    const held = new Map([[policyId + assetName, quantity]]);
    requireDeposited(transaction, { vault, wallet, index, assets: held }, networkId);
  }
}

/** One that had ended is linked to what it spends when it is confirmed after all. */
async function requireReturned({ tx }: CheckContext, { recorded, transaction }: ConfirmedTransaction): Promise<void> {
  const taken = await takenOutputs(tx, recorded);
  assertAllowed(taken.length > 0 || hasEnded(recorded.state), 'it returns nothing');
  requireSpent(transaction, taken);
}

const ASKED_AT_ONCE = 10;

/** Asked in vain so often, a minute or so of attempts, one transaction keeps no block waiting any longer. */
const MAX_ATTEMPTS = 20;

/** How often each transaction was asked for in vain. */
const inVain = new WeakMap<Pick<Ledger, 'transactionCbor'>, Map<string, number>>();

/**
 * Reads from the ledger who has signed what is confirmed with a signature of the platform, where Postgres does not know: it was restored from an
 * older backup, or the row is of somebody else's transaction.
 */
export async function storeConfirmedSignatures(
  { db, ledger }: Pick<WorkerContext, 'db' | 'ledger'>,
  hashes: readonly string[],
): Promise<void> {
  const confirmed = await confirmedWithoutSignature(db, hashes);
  const attempts = inVain.get(ledger) ?? new Map<string, number>();
  inVain.set(ledger, attempts);
  const failures = await settleAll(confirmed, ASKED_AT_ONCE, async ({ id, hash }) => {
    const attempt = (attempts.get(hash) ?? 0) + 1;
    attempts.set(hash, attempt);
    const signed = await signedBytes(ledger, hash).catch((error: unknown) => {
      if (attempt < MAX_ATTEMPTS) throw error;
      return null;
    });
    if (signed === null) return;
    attempts.delete(hash);
    await storeConfirmed(db, id, signed);
  });
  throwFailures(failures);
}

/**
 * The signed bytes of a transaction on the ledger; null while it does not give them. What it gives is stored for good, so bytes of another
 * transaction, a part of them, or bytes without a valid signature are none.
 */
export async function signedBytes(ledger: Pick<Ledger, 'transactionCbor'>, hash: string): Promise<string | null> {
  const given = await ledger.transactionCbor(hash);
  const found = readUntrusted(given, validSignaturesOf);
  return found?.hash === hash && found.signers.length > 0 ? given : null;
}
