import type { CborMap } from '../cardano/cbor/read-cbor.ts';
import { readPaymentKeyHash } from '../cardano/scripts/address.ts';
import type { KeyHash, NetworkId, Utxo, Holding, Unit } from '../cardano/transaction.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Steps } from '../platform/states.ts';
import type { DecodedTransaction } from './decoder.ts';

/** A request to the platform to sign a transaction, with what does not come from its row. */
export interface SigningRequest {
  readonly transaction: DecodedTransaction;
  /** Every input, with what the transaction that made it gave it. */
  readonly spent: readonly Utxo[];
  /** The addresses that each transaction pays which made an input, by its hash. */
  readonly paidBy: ReadonlyMap<string, readonly string[]>;
  /** The keys whose valid signatures of it the platform has. */
  readonly signedBy: ReadonlySet<KeyHash>;
  /** The slot in which it is signed. */
  readonly slot: number;
  /** The operator's address. */
  readonly operator: string;
  readonly networkId: NetworkId;
  /** More lovelace than the min-ADA of an output with one asset, and of any output. */
  readonly minAda: { readonly ofToken: bigint; readonly ofAny: bigint };
  readonly coinsPerUtxoByte: bigint;
}

/** Throws TRANSACTION_NOT_JUSTIFIED with the reason unless `holds`. */
export function assertAllowed(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new ServiceError('TRANSACTION_NOT_JUSTIFIED', { reason });
}

/** The map that a transaction carries under a label of its metadata, and nothing else; null for other metadata. */
export function soleMetadata({ metadata }: Pick<DecodedTransaction, 'metadata'>, label: number): CborMap | null {
  const recorded = metadata?.get(label);
  return metadata?.size === 1 && recorded instanceof Map ? (recorded as CborMap) : null;
}

/** The proposal to liquidate a vault that a transaction decides. */
export function liquidatedBy(transaction: Pick<DecodedTransaction, 'metadata'>): unknown {
  const decision = soleMetadata(transaction, 868_484);
  return decision?.get('decision') === 'liquidate' ? decision.get('proposal') : null;
}

/** The batch whose root a transaction records. */
export function anchoredBatchOf(transaction: Pick<DecodedTransaction, 'metadata'>) {
  const batch = soleMetadata(transaction, 868_483);
  return batch?.get('v') === 1 ? { root: batch.get('root'), count: batch.get('count') } : null;
}

/** A key of the platform: the operator's, and those of a vault for what it holds and for its policies. */
export type PlatformKey = 'operator' | 'vault' | 'policy';

/** What a kind of transaction may carry besides inputs and outputs; most carry nothing. */
type Extra = 'mint' | 'metadata' | 'datum';

/** The signing policy of a kind of transaction. */
export interface Rule<Evidence> {
  /** The keys of the platform that may sign it. */
  readonly keys: readonly PlatformKey[];
  readonly mayCarry: readonly Extra[];
  /** How long it may be valid from its signature on. */
  readonly lifetimeSeconds: number;
  /** The most lovelace that the operator pays into outputs of others; none unless given. They may keep it. */
  operatorPays?(request: SigningRequest, evidence: Evidence): bigint;
  evaluate(request: SigningRequest, evidence: Evidence): void;
  /** The rest of it, where thousands have a part. */
  evaluateMany?(request: SigningRequest, evidence: Evidence): Steps<void>;
}

/** Lifetimes of transactions: those that a request starts, those that the worker prepares, and those that cosigners may have to sign. */
export const lifetime = { requested: 30 * 60, prepared: 2 * 3600, cosigned: 36 * 3600 } as const;

/** What something has more, or below zero less. */
interface Change {
  readonly lovelace: bigint;
  /** Units that did not change are left out. */
  readonly assets: ReadonlyMap<Unit, bigint>;
}

/** What addresses have more after a transaction than before it. */
export function gainOf({ transaction, spent }: SigningRequest, addresses: readonly string[]): Change {
  const at = ({ address }: Holding) => addresses.includes(address);
  return difference(sumOf(transaction.outputs.filter(at)), sumOf(spent.filter(at)));
}

/** Everything that holdings have together. */
export function sumOf(holdings: Iterable<Pick<Holding, 'lovelace' | 'assets'>>): Change {
  let lovelace = 0n;
  const assets = new Map<Unit, bigint>();
  for (const holding of holdings) {
    lovelace += holding.lovelace;
    for (const [unit, quantity] of holding.assets) assets.set(unit, (assets.get(unit) ?? 0n) + quantity);
  }
  return { lovelace, assets };
}

/** One less the other. */
export function difference(one: Change, other: Change): Change {
  const assets = new Map(one.assets);
  for (const [unit, quantity] of other.assets) assets.set(unit, (assets.get(unit) ?? 0n) - quantity);
  return {
    lovelace: one.lovelace - other.lovelace,
    assets: new Map([...assets].filter(([, quantity]) => quantity !== 0n)),
  };
}

/** Whether both are the same quantities of the same units; zero is none. */
export function equalAssets(one: ReadonlyMap<Unit, bigint>, other: ReadonlyMap<Unit, bigint>): boolean {
  return [...new Set([...one.keys(), ...other.keys()])].every(
    (unit) => (one.get(unit) ?? 0n) === (other.get(unit) ?? 0n),
  );
}

/** The opposite of quantities. */
export function negated(assets: ReadonlyMap<Unit, bigint>): Map<Unit, bigint> {
  return new Map([...assets].map(([unit, quantity]) => [unit, -quantity]));
}

/** Throws unless every input is at one of these addresses. */
export function requireInputsAt({ spent }: Pick<SigningRequest, 'spent'>, addresses: readonly string[]): void {
  const other = spent.find(({ address }) => !addresses.includes(address));
  assertAllowed(!other, `it spends an output at ${other?.address}`);
}

/**
 * Throws unless every input is at one of these addresses or in a wallet, which signs for it. A signature of a vault's key would unlock
 * whatever else that key guards.
 */
export function requireInputsAtOrOfWallets(request: SigningRequest, addresses: readonly string[]): void {
  const { operator } = request;
  const ofWallet = ({ address }: Holding) => address !== operator && readPaymentKeyHash(address) !== undefined;
  requireInputsAt({ spent: request.spent.filter((input) => !ofWallet(input)) }, addresses);
}

/** Throws unless every output is at one of these addresses. */
export function requireOutputsAt({ transaction }: SigningRequest, addresses: readonly string[]): void {
  const other = transaction.outputs.find(({ address }) => !addresses.includes(address));
  assertAllowed(!other, `it pays ${other?.address}`);
}

/** Throws unless the operator gains nothing and loses nothing but lovelace. */
export function requireOperatorGainsNothing(request: SigningRequest): void {
  const gain = gainOf(request, [request.operator]);
  assertAllowed(gain.assets.size === 0, 'it changes which assets the operator has');
  assertAllowed(gain.lovelace <= 0n, `the operator gains ${gain.lovelace} lovelace`);
}

/** Throws unless these addresses gain exactly these assets, and lose none. */
export function requireAssetsGained(
  request: SigningRequest,
  addresses: readonly string[],
  assets: ReadonlyMap<Unit, bigint>,
): void {
  assertAllowed(
    equalAssets(gainOf(request, addresses).assets, assets),
    `other assets than meant move at ${addresses.join()}`,
  );
}

/** Throws when these addresses lose more lovelace than this. */
export function requireLovelaceLostAtMost(request: SigningRequest, addresses: readonly string[], atMost: bigint): void {
  const lost = -gainOf(request, addresses).lovelace;
  assertAllowed(lost <= atMost, `${addresses.join()} lose ${lost} lovelace, above ${atMost}`);
}
