import type { ProtocolParameters } from '../cardano/ledger/parameters.ts';
import type { KeyHash, NetworkId, Unit, Utxo } from '../cardano/transaction.ts';
import type { Steps } from '../platform/states.ts';
import { type TransactionKind, refText } from '../transactions/rules.ts';
import { lovelace } from '../platform/units/money.ts';
import type { DecodedTransaction } from './decoder.ts';
import type { EvidenceByKind } from './evidence.ts';
import { difference, gainOf, sumOf, type SigningRequest, assertAllowed, type PlatformKey } from './policy.ts';
import { ruleRegister } from './register.ts';

/** What the rules of every kind of transaction need. */
export interface SigningContext {
  /** The hash that its row names. */
  readonly hash: string;
  readonly spent: readonly Utxo[];
  /** The addresses that each transaction pays which made an input, by its hash. */
  readonly paidBy: ReadonlyMap<string, readonly string[]>;
  /** The keys of the platform that are asked to sign. */
  readonly asked: readonly PlatformKey[];
  readonly signedBy: ReadonlySet<KeyHash>;
  readonly operator: string;
  readonly networkId: NetworkId;
  readonly parameters: ProtocolParameters;
  /** The slot in which it is signed. */
  readonly slot: number;
  readonly slotLengthMs: number;
}

/** The clocks of api and worker differ by less. */
const CLOCK_SKEW_SECONDS = 120;
/** Bytes of an output with one asset, and of any output with a long datum besides a value of the largest size. */
const TOKEN_OUTPUT_BYTES = 400n;
const LARGEST_OUTPUT_BYTES = 5_160n;

/**
 * Evaluates the signing policy of a transaction's kind over the decoded transaction: which outputs it spends, whom it pays how much, what it mints,
 * how long it is valid and who has to sign it. It knows nothing of the code that built it (design D44). Each step is little work. Returns the
 * lovelace that the operator pays by it, the fee included.
 */
export function* evaluate<Kind extends TransactionKind>(
  kind: Kind,
  transaction: DecodedTransaction,
  signing: SigningContext,
  evidence: EvidenceByKind[Kind],
): Steps<bigint> {
  const rule = ruleRegister[kind];
  const { parameters, signedBy, operator, networkId, spent, paidBy } = signing;
  assertCommonRules(transaction, signing);
  assertAllowed(
    signing.asked.every((key) => rule.keys.includes(key)),
    `its kind is not signed by ${signing.asked.join()}`,
  );
  assertAllowed(rule.mayCarry.includes('mint') || transaction.mint.size === 0, 'it mints');
  assertAllowed(rule.mayCarry.includes('metadata') || transaction.metadata === null, 'it carries metadata');
  const hasDatum = transaction.outputs.some(({ datum }) => datum !== null);
  assertAllowed(rule.mayCarry.includes('datum') || !hasDatum, 'it carries a datum');
  const lastSlot =
    signing.slot + Math.ceil(((rule.lifetimeSeconds + CLOCK_SKEW_SECONDS) * 1000) / signing.slotLengthMs);
  assertAllowed((transaction.ttlSlot ?? Infinity) <= lastSlot, 'it would be valid for too long');
  const minAda = {
    ofToken: parameters.coinsPerUtxoByte * TOKEN_OUTPUT_BYTES,
    ofAny: parameters.coinsPerUtxoByte * LARGEST_OUTPUT_BYTES,
  };
  const { coinsPerUtxoByte } = parameters;
  const known = { transaction, spent, paidBy, signedBy, slot: signing.slot };
  const request = { ...known, operator, networkId, minAda, coinsPerUtxoByte };
  rule.evaluate(request, evidence);
  const paid = -gainOf(request, [operator]).lovelace;
  const [besidesFee, most] = [paid - transaction.fee, rule.operatorPays?.(request, evidence) ?? 0n];
  assertAllowed(besidesFee <= most, `the operator pays ${besidesFee} lovelace besides the fee, above ${most}`);
  if (rule.evaluateMany) yield* rule.evaluateMany(request, evidence);
  return paid;
}

/** The rules for every kind. */
function assertCommonRules(transaction: DecodedTransaction, signing: SigningContext): void {
  const { hash, spent } = signing;
  assertAllowed(transaction.hash === hash, 'its row names another hash');
  const found = new Set(spent.map(refText));
  const unknown = transaction.inputs.find((input) => !found.has(refText(input)));
  assertAllowed(
    !unknown && found.size === transaction.inputs.length,
    `nothing is known of input ${unknown && refText(unknown)}`,
  );
  assertAllowed(!transaction.outputs.some((output) => output.hasReferenceScript), 'it carries a script');
  const most = largestFee(transaction, signing);
  assertAllowed(
    transaction.fee <= most,
    `its fee of ${transaction.fee} lovelace is above ${most}, which is enough for its size`,
  );
  requireBalanced(transaction, spent);
}

/**
 * So many times what the ledger asks for its bytes and signatures. Cosigners of whom some need not sign make it smaller than it was built for,
 * and the ledger's price of a byte may have come down since.
 */
const FEE_MARGIN = 2n;
/** A signature with its key, and what comes before it, in CBOR. */
const SIGNATURE_BYTES = 101;

/** The largest fee that a transaction may pay: what is more would be lost to everybody. */
function largestFee(
  { bytes, requiredSigners }: Pick<DecodedTransaction, 'bytes' | 'requiredSigners'>,
  { parameters, asked, signedBy }: Pick<SigningContext, 'parameters' | 'asked' | 'signedBy'>,
): bigint {
  const signatures = Math.max(requiredSigners.length, asked.length + signedBy.size);
  const size = BigInt(bytes + signatures * SIGNATURE_BYTES);
  return FEE_MARGIN * (parameters.minFeeA * size + parameters.minFeeB);
}

/** The ledger refuses what is uneven; here it shows that what the inputs hold is known. */
function requireBalanced({ outputs, mint, fee }: DecodedTransaction, spent: SigningRequest['spent']): void {
  const minted = { lovelace: lovelace(0n), assets: mint };
  const paid = { lovelace: lovelace(fee), assets: new Map<Unit, bigint>() };
  const left = difference(sumOf([...spent, minted]), sumOf([...outputs, paid]));
  assertAllowed(left.lovelace === 0n && left.assets.size === 0, 'its inputs hold something else than it pays');
}
