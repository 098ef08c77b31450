import { readNetworkState } from '../src/chain/ledger/network-state.ts';
import { slotAt } from '../src/chain/ledger/slots.ts';
import { type Candidate, preflight } from '../src/chain/build/preflight.ts';
import type { SigningKey } from '../src/chain/keys/keys.ts';
import type { Utxo } from '../src/chain/transaction.ts';
import { mergeWitnesses, signTransaction } from '../src/chain/keys/witnesses.ts';
import { type Instant } from '../src/domain/units/instant.ts';
import { ServiceError } from '../src/domain/errors.ts';
import {
  type ChainTransaction,
  findTransaction,
  findTransactionByHash,
  lockTransaction,
  storeSigned,
} from '../src/store/chain-transactions.ts';
import { followedTip } from '../src/store/blocks.ts';
import { vaultKeyIndex } from '../src/store/platform.ts';
import { moveTransaction } from '../src/services/on-ledger/transactions.ts';
import { isOnLedger, isOpen, type TransactionKind } from '../src/domain/transaction/transaction-state.ts';
import type { TransactionActivities } from '../src/temporal/activities.ts';
import type { WorkerDeps } from './deps.ts';
import { isUnspent, findSpendingTransaction } from './whereabouts.ts';
import { refText } from '../src/domain/transaction/utxo-ref.ts';

type Deps = Pick<
  WorkerDeps,
  'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkState' | 'keys' | 'outboxRelay' | 'networkId' | 'confirmationDepth'
>;

/** Signing, sending and reading recorded transactions. */
export function createTransactionActivities(deps: Deps): TransactionActivities {
  return {
    async readTransaction({ transactionId }) {
      const { state, expiresAt, kind, error } = await getTransaction(deps, transactionId);
      return { state, expiresAt, kind, isWithdrawn: state === 'awaiting_signatures' && error !== null };
    },
    async submitTransaction({ transactionId, now }) {
      const outcome = await sendRecorded(deps, await getTransaction(deps, transactionId), now);
      deps.outboxRelay.deliver();
      if (outcome !== 'done') throw new Error(outcome.unclear);
    },
  };
}

type Sending = 'done' | { readonly unclear: string };

/**
 * Sends the recorded bytes, unless the transaction has landed or ended meanwhile. The bytes are stored before they are sent
 * and never change, so sending twice cannot move anything twice. While the outcome is unclear they are to be sent again.
 */
export async function sendRecorded(deps: Deps, recorded: ChainTransaction, now: Instant): Promise<Sending> {
  if (!isToBeSent(recorded)) return 'done';
  // Blocks are read from the first one on that was looked at: what lands before it is seen by nobody.
  if ((await followedTip(deps.db)) === null) return { unclear: 'nobody follows the ledger yet' };
  const chain = await deps.networkState();
  const slot = slotAt(chain.anchor, now);
  if (slot >= recorded.ttlSlot) return 'done';

  const signedCbor = recorded.signedCbor ?? (await signAndStore(deps, recorded));
  const violation = await presentViolation(deps, { signedCbor, inputs: recorded.inputs, slot, context: chain });
  if (violation) return end(deps, recorded, violation, now);

  const answer = await deps.ledger.submit(signedCbor);
  if (answer.kind === 'unknown') return { unclear: `the ledger did not answer clearly: ${answer.reason}` };
  if (answer.kind === 'refused') {
    const inputs = await whereInputsAre(deps, recorded);
    if (inputs.kind === 'not yet') return { unclear: inputs.reason };
    if (inputs.kind === 'spent') return end(deps, recorded, `${inputs.reason} (${answer.reason})`, now);
    // They are all there, so it is in the mempool from an earlier try, or will be found expired.
  }
  await deps.unitOfWork(async ({ tx }) => {
    const current = await lockTransaction(tx, recorded.id);
    if (current?.state === 'pending') await moveTransaction({ tx, ids: deps.ids, now }, current, { to: 'submitted' });
  });
  return 'done';
}

/** Only its wallet can send what was rolled back before the signatures a wallet had sent past us were read from the ledger. */
function isToBeSent(recorded: ChainTransaction): boolean {
  const { state, signer, signedCbor, requiredSigners, platformSigners, witnesses } = recorded;
  if (state !== 'pending' && state !== 'submitted') return false;
  if (signer === 'platform' || signedCbor !== null) return true;
  const present = [...platformSigners, ...witnesses.map(({ keyHash }) => keyHash)];
  return requiredSigners.every((keyHash) => present.includes(keyHash));
}

async function signAndStore(deps: Deps, recorded: ChainTransaction): Promise<string> {
  const keys = await signingKeys(deps, recorded);
  const merged = mergeWitnesses(recorded.unsignedCbor, recorded.witnesses);
  const signed = keys.length === 0 ? merged : signTransaction(merged, keys);
  await deps.unitOfWork(({ tx }) => storeSigned(tx, recorded.id, signed));
  return signed;
}

/** The platform's keys that the transaction asks for: beside its wallets, or alone. */
async function signingKeys(
  { db, keys }: Deps,
  { requiredSigners, platformSigners, vaultId, signer }: ChainTransaction,
): Promise<SigningKey[]> {
  // A signature that the transaction does not ask for would cost a fee that nobody has paid.
  const asked = requiredSigners.filter((key) => signer !== 'wallet' || platformSigners.includes(key));
  if (asked.length === 0) return [];
  const own: SigningKey[] = [keys.operator];
  if (vaultId !== null) {
    const index = await vaultKeyIndex(db, vaultId);
    own.push(keys.vaultKey(index), keys.policyKey(index));
  }
  return own.filter(({ keyHash }) => asked.includes(keyHash));
}

/** What is remembered may be of the epoch before; nothing ends by that. */
async function presentViolation(deps: Deps, candidate: Candidate): Promise<string | null> {
  if (!violationOf(candidate)) return null;
  return violationOf({ ...candidate, context: await readNetworkState(deps) });
}

/** The ledger rule that the transaction breaks, found before it is sent. */
function violationOf(candidate: Candidate): string | null {
  try {
    preflight(candidate);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.message}: ${JSON.stringify(error.details)}`;
  }
}

type Inputs = { kind: 'there' } | { kind: 'not yet' | 'spent'; reason: string };

/**
 * Why the ledger may have refused: an input is not back after a rollback, or was spent by another transaction. Until that one
 * is final it may be rolled back itself, and this one land after all.
 */
async function whereInputsAre(deps: Deps, { hash, inputs, kind }: ChainTransaction): Promise<Inputs> {
  if (await deps.ledger.transaction(hash)) return { kind: 'there' };
  for (const input of inputs) {
    const problem = await problemOf(deps, input, kind);
    if (problem === null) continue;
    // It may have landed between the two looks.
    return (await deps.ledger.transaction(hash)) ? { kind: 'there' } : problem;
  }
  return { kind: 'there' };
}

async function problemOf(
  deps: Deps,
  input: Utxo,
  kind: TransactionKind,
): Promise<Exclude<Inputs, { kind: 'there' }> | null> {
  if (await isUnspent(deps, input)) return null;
  const reference = `input ${refText(input)}`;
  const producer = await findTransactionByHash(deps.db, input.txHash);
  if (producer && !isOnLedger(producer.state)) {
    if (isOpen(producer.state)) return { kind: 'not yet', reason: `${reference} is not back yet` };
    return { kind: 'spent', reason: `${reference} can never be on the ledger` };
  }
  const found = await findSpendingTransaction(deps, input);
  // What somebody else has made may come back; facts do not wait for that, and an anchor may land beside another.
  if (found.kind === 'absent') return { kind: kind === 'anchor' ? 'spent' : 'not yet', reason: `${reference} is gone` };
  return { kind: found.isFinal ? 'spent' : 'not yet', reason: `${reference} was spent by another transaction` };
}

async function end(deps: Deps, { id }: ChainTransaction, reason: string, now: Instant): Promise<'done'> {
  await deps.unitOfWork(async ({ tx }) => {
    const current = await lockTransaction(tx, id);
    if (current?.state !== 'pending' && current?.state !== 'submitted') return;
    await moveTransaction({ tx, ids: deps.ids, now }, current, { to: 'failed', reason });
  });
  return 'done';
}

async function getTransaction({ db }: Deps, transactionId: string): Promise<ChainTransaction> {
  const recorded = await findTransaction(db, transactionId);
  if (!recorded) throw new Error(`transaction ${transactionId} is not recorded`);
  return recorded;
}
