import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { CborError } from '../cardano/cbor/fold.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { isSignatureOf } from '../cardano/keys/witnesses.ts';
import { keyHashOf } from '../cardano/keys/key-hash.ts';
import type { LedgerInput } from '../cardano/build/preflight.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { runInSlices } from '../platform/states/steps.ts';
import type { TransactionKind } from './rules/transaction-state.ts';
import { refText } from './rules/utxo-ref.ts';
import { decodeTransaction } from '../signing-policy/decode-transaction.ts';
import { type Frame, judge } from '../signing-policy/judge.ts';
import type { PlatformKey } from '../signing-policy/rule.ts';
import type { ChainTransaction } from './queries/chain-transactions.ts';
import { evidenceRegister } from './evidence-register.ts';
import type { EvidenceContext } from '../signing-policy/evidence/evidence-context.ts';
import { paidAddresses } from './spent-outputs.ts';

/** A recorded transaction that the platform is asked to sign. */
interface SignatureRequest {
  readonly recorded: ChainTransaction;
  readonly asked: readonly PlatformKey[];
  /** All outputs of the transactions that made its inputs, by reference. */
  readonly spent: ReadonlyMap<string, LedgerInput>;
  readonly slot: number;
  readonly chain: NetworkState;
}

/**
 * Judges a recorded transaction before the platform signs it (design D44): its bytes, by our own reader, against what its kind allows.
 * Rows only say what is meant; what the ledger, the keys and the signatures of others can prove is taken from them. Returns the lovelace
 * that the operator pays by it. Throws TRANSACTION_NOT_JUSTIFIED and LEDGER_UNAVAILABLE.
 */
export async function requireJustified(context: EvidenceContext, request: SignatureRequest): Promise<bigint> {
  const { recorded, asked, spent, slot, chain } = request;
  const transaction = await unjustifiedUnless(() => decodeTransaction(recorded.unsignedCbor));
  const evidence = await evidenceOf(context, recorded, recorded.kind);
  const frame: Frame = {
    hash: recorded.hash,
    spent: transaction.inputs.flatMap((input) => spent.get(refText(input)) ?? []),
    paidBy: paidAddresses(spent),
    asked,
    signedBy: signersOf(recorded),
    operator: context.keys.operator.address,
    networkId: context.networkId,
    parameters: chain.parameters,
    slot,
    slotLengthMs: chain.anchor.slotLengthMs,
  };
  return unjustifiedUnless(() =>
    runInSlices(judge(recorded.kind, transaction, frame, evidence), () => yieldToEventLoop()),
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

/** Bytes and rows that cannot be read justify nothing; where a rule asks for more of the ledger, the transaction waits. */
async function unjustifiedUnless<Result>(work: () => Result | Promise<Result>): Promise<Result> {
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
