import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { LedgerInput } from '../cardano/build/preflight.ts';
import { CborError } from '../cardano/cbor/fold.ts';
import { keyHashOf, type SigningKey } from '../cardano/keys/keys.ts';
import { mergeWitnesses, signTransaction, isSignatureOf } from '../cardano/keys/witnesses.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { recordMove } from '../ledger-follower/effects.ts';
import { errorRegistry } from '../platform/error-registry.ts';
import { ServiceError } from '../platform/errors.ts';
import { runInSlices } from '../platform/states.ts';
import type { Instant } from '../platform/units/time.ts';
import { decodeTransaction } from '../signing-policy/decoder.ts';
import {
  gatherClaim,
  gatherClosing,
  gatherHandOver,
  gatherPotEvidence,
  gatherRemainder,
} from '../signing-policy/evidence/termination.ts';
import { gatherCreation, gatherMint } from '../signing-policy/evidence/mint.ts';
import {
  gatherDeposit,
  gatherVaultAddresses,
  gatherUnsolicited,
  gatherDelivery,
  gatherLiquidity,
} from '../signing-policy/evidence/settlement.ts';
import { type EvidenceContext, type Gather, gatherAnchor, gatherNothing } from '../signing-policy/evidence/vault.ts';
import { gatherExecution, gatherUnstake } from '../signing-policy/evidence/execution.ts';
import { gatherMove } from '../signing-policy/evidence/settled-vault.ts';
import { type SigningContext, evaluate } from '../signing-policy/evaluate.ts';
import type { PlatformKey } from '../signing-policy/policy.ts';
import { requireSoleMint } from '../signing-policy/mint.ts';
import { findInputProblem } from './add-witnesses.ts';
import { storeSigned } from './queries/changes.ts';
import { type ChainTransaction, lockTransaction } from './queries/transactions.ts';
import { recordFailure, type Submission } from './submission.ts';
import { refText, type TransactionKind } from './rules.ts';
import { paidAddresses } from './spent-outputs.ts';
import { isStepOfVault } from './record-transaction.ts';
import { holdForOperator } from '../vaults/holds.ts';
import { keyIndexesOf } from '../vaults/queries/vaults.ts';
import type { WorkerContext } from '../worker-context.ts';

/** When a transaction is signed, and what its inputs hold then. */
interface SigningInput {
  readonly now: Instant;
  readonly slot: number;
  readonly chain: NetworkState;
  /** Reads what they hold, by reference. */
  readonly spent: () => Promise<ReadonlyMap<string, LedgerInput>>;
}

/**
 * Adds the platform's signatures to those of the wallets, and stores the signed bytes. Returns them as CBOR in hex; null when the
 * transaction has been given up meanwhile.
 */
async function signRecorded(
  context: WorkerContext,
  recorded: ChainTransaction,
  input: SigningInput,
): Promise<string | null> {
  const keys = await signingKeys(context, recorded);
  if (keys.length > 0) await assertKeysMaySign(context, recorded, keys, input);
  const merged = mergeWitnesses(recorded.unsignedCbor, recorded.witnesses);
  const signed = keys.length === 0 ? merged : signTransaction(merged, keys);
  return (await storeSigned(context.db, recorded.id, signed)) ? signed : null;
}

/** An output that the transaction spends is not known yet, or not any more: nobody can say what it would move. */
class UnknownInputError extends Error {
  override readonly name = 'UnknownInput';
}

async function assertKeysMaySign(
  context: WorkerContext,
  recorded: ChainTransaction,
  keys: readonly NamedKey[],
  { slot, chain, spent: read }: SigningInput,
): Promise<void> {
  // Nothing is read for what waits until tomorrow.
  if (keys.some(({ name }) => name === 'operator')) context.operatorBudget.requireBudget(recorded.kind);
  const spent = await read();
  const unknown = recorded.inputs.find((input) => !spent.has(refText(input)));
  if (unknown) throw new UnknownInputError(`input ${refText(unknown)} is not on the ledger`);
  const paid = await assertMaySign(context, recorded, keys, { spent, slot, chain });
  const policyKey = keys.find(({ name }) => name === 'policy');
  if (recorded.kind === 'mint' && policyKey) {
    const mint = decodeTransaction(recorded.unsignedCbor);
    requireSoleMint(context.ledger, { policyKeyHash: policyKey.keyHash, slot: chain.anchor.slot, mint });
  }
  context.operatorBudget.pay(recorded.kind, paid, recorded.hash);
}

interface NamedKey extends SigningKey {
  readonly name: PlatformKey;
}

async function signingKeys(
  { db, keys }: EvidenceContext,
  { requiredSigners, platformSigners, vaultId, signer }: ChainTransaction,
): Promise<NamedKey[]> {
  // A signature that is not required would cost a fee that nobody has paid.
  const required = requiredSigners.filter((key) => signer !== 'wallet' || platformSigners.includes(key));
  if (required.length === 0) return [];
  const indexes = vaultId === null ? [] : await keyIndexesOf(db, vaultId, required);
  const own = [
    { ...keys.operator, name: 'operator' as const },
    ...indexes.map((index) => ({ ...keys.vaultKey(index), name: 'vault' as const })),
    ...indexes.map((index) => ({ ...keys.policyKey(index), name: 'policy' as const })),
  ];
  return own.filter(({ keyHash }) => required.includes(keyHash));
}

/** The bytes to submit, or what came of a transaction without them. */
type Signing =
  | { readonly kind: 'signed'; readonly signedCbor: string }
  | { readonly kind: 'unsigned'; readonly submission: Submission };

/**
 * The signed bytes of a recorded transaction. One that the signing policy refuses fails unsigned, is an alarm, and holds its vault for an operator
 * (design D44): its replacement is evaluated again. One for which the operator has nothing left today waits, or fails unsigned where the platform
 * builds it again by itself, so that it holds nothing meanwhile.
 */
export async function signIfAllowed(
  context: WorkerContext,
  recorded: ChainTransaction,
  input: SigningInput,
): Promise<Signing> {
  if (recorded.signedCbor !== null) return { kind: 'signed', signedCbor: recorded.signedCbor };
  try {
    const signedCbor = await signRecorded(context, recorded, input);
    return signedCbor === null ? { kind: 'unsigned', submission: 'done' } : { kind: 'signed', signedCbor };
  } catch (error) {
    return { kind: 'unsigned', submission: await handleUnsigned(context, recorded, error, input.now) };
  }
}

/** Throws what says nothing about the transaction. */
async function handleUnsigned(
  context: WorkerContext,
  recorded: ChainTransaction,
  error: unknown,
  now: Instant,
): Promise<Submission> {
  if (error instanceof UnknownInputError) return waitForInput(context, recorded, error.message, now);
  const code = error instanceof ServiceError ? error.code : null;
  if (code === 'OPERATOR_BUDGET_SPENT') return deferUntilBudget(context, recorded, now);
  if (!(error instanceof ServiceError) || code !== 'TRANSACTION_NOT_JUSTIFIED') throw error;
  return refuseToSign(context, recorded, error, now);
}

/** What the platform builds by itself gives back the outputs that it holds; the signatures of others, and the order of anchors, are kept. */
async function deferUntilBudget(context: WorkerContext, recorded: ChainTransaction, now: Instant): Promise<Submission> {
  const code = 'OPERATOR_BUDGET_SPENT';
  const reason = errorRegistry[code].message;
  if (recorded.signer !== 'platform' || !isStepOfVault(recorded)) return { unclear: reason, code };
  return failUnsigned(context, recorded, { reason, now });
}

/** An input that is not on the ledger may come back after a rollback, unless something else has spent it for good. */
async function waitForInput(
  context: WorkerContext,
  recorded: ChainTransaction,
  reason: string,
  now: Instant,
): Promise<Submission> {
  const problem = await findInputProblem(context, recorded);
  if (problem?.kind !== 'spent') return { unclear: problem?.reason ?? reason };
  return recordFailure(context, recorded, { reason: problem.reason, conflict: problem.conflict, now });
}

async function refuseToSign(
  context: WorkerContext,
  recorded: ChainTransaction,
  { details, cause }: ServiceError,
  now: Instant,
): Promise<'done'> {
  const reason = String(details?.['reason']);
  context.onSignatureRefused(recorded, reason, cause);
  const failure = { reason: `the platform refused to sign it: ${reason}`, now };
  return failUnsigned(context, recorded, { ...failure, hold: 'unjustified_transaction' });
}

interface UnsignedFailure {
  readonly reason: string;
  readonly hold?: 'unjustified_transaction';
  readonly now: Instant;
}

/** A forged row may lack what its kind comes with: that what its end changes cannot be recorded then keeps no alarm and no hold away. */
async function failUnsigned(
  { unitOfWork, onQuarantine }: WorkerContext,
  { id, vaultId }: ChainTransaction,
  { reason, hold, now }: UnsignedFailure,
): Promise<'done'> {
  await unitOfWork(async (context) => {
    const current = await lockTransaction(context.tx, id);
    if (current === null || current.signedCbor !== null) return;
    const work = { ...context, now };
    if (hold && vaultId !== null) await holdForOperator(work, vaultId, hold);
    if (current.state === 'pending' || current.state === 'submitted')
      await recordMove(work, current, { to: 'failed', reason }, onQuarantine);
  });
  return 'done';
}

/**
 * Evaluates a recorded transaction before the platform signs it (design D44): its bytes, by our own reader, against what its kind allows.
 * Rows only say what is meant; what the ledger, the keys and the signatures of others can prove is taken from them. Returns the lovelace
 * that the operator pays by it.
 */
async function assertMaySign(
  context: EvidenceContext,
  recorded: ChainTransaction,
  keys: readonly NamedKey[],
  { spent, slot, chain }: Omit<SigningInput, 'now' | 'spent'> & { readonly spent: ReadonlyMap<string, LedgerInput> },
): Promise<bigint> {
  const transaction = await refusedUnlessReadable(() => decodeTransaction(recorded.unsignedCbor));
  const evidence = await evidenceOf(context, recorded, recorded.kind);
  const signing: SigningContext = {
    hash: recorded.hash,
    spent: transaction.inputs.flatMap((input) => spent.get(refText(input)) ?? []),
    paidBy: paidAddresses(spent),
    asked: keys.map(({ name }) => name),
    signedBy: signersOf(recorded),
    operator: context.keys.operator.address,
    networkId: context.networkId,
    parameters: chain.parameters,
    slot,
    slotLengthMs: chain.anchor.slotLengthMs,
  };
  return refusedUnlessReadable(() =>
    runInSlices(evaluate(recorded.kind, transaction, signing, evidence), () => yieldToEventLoop()),
  );
}

function evidenceOf<Kind extends TransactionKind>(context: EvidenceContext, recorded: ChainTransaction, kind: Kind) {
  return evidenceRegister[kind](context, recorded);
}

/** Whoever has signed it, whatever its row says of that. */
function signersOf({ witnesses, hash }: ChainTransaction): ReadonlySet<string> {
  const valid = witnesses.filter((witness) => isSignatureOf(witness, hash));
  return new Set(valid.map(({ publicKey }) => keyHashOf(Buffer.from(publicKey, 'hex'))));
}

/** Unreadable bytes and rows are refused; where a rule asks for more of the ledger, the transaction waits. */
async function refusedUnlessReadable<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ServiceError && ['TRANSACTION_NOT_JUSTIFIED', 'LEDGER_UNAVAILABLE'].includes(cause.code))
      throw cause;
    const reason =
      cause instanceof CborError
        ? 'its bytes are not those of a transaction of the platform'
        : 'what it is judged by cannot be read';
    throw new ServiceError('TRANSACTION_NOT_JUSTIFIED', { reason }, { cause });
  }
}

/** Where the evidence for each kind of transaction comes from; a kind without one does not compile. */
const evidenceRegister: { readonly [Kind in TransactionKind]: Gather<Kind> } = {
  create_vault: gatherCreation,
  add_asset: gatherDeposit,
  remove_asset: gatherVaultAddresses,
  remove_investment: gatherVaultAddresses,
  invest: gatherNothing,
  stake: gatherNothing,
  unstake: gatherUnstake,
  mint: gatherMint,
  deliver: gatherDelivery,
  liquidity: gatherLiquidity,
  refund: gatherVaultAddresses,
  fan_out: gatherNothing,
  anchor: gatherAnchor,
  execute: gatherExecution,
  return_unsolicited: gatherUnsolicited,
  gather_pot: gatherPotEvidence,
  hand_over: gatherHandOver,
  pay_remainder: gatherRemainder,
  close_vault: gatherClosing,
  claim: gatherClaim,
  move_custody: gatherMove,
  move_kept: gatherMove,
};
