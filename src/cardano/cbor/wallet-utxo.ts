import { type AddressRefusal, readAddressBytes, type WalletAddress } from '../scripts/address.ts';
import type { NetworkId, Unit } from '../transaction.ts';
import { CborError } from './fold.ts';
import { byteStringHex, type CborTree, numberedFields, readCborTree } from './item-tree.ts';

/** An unspent output as a wallet describes it: to be compared with the ledger. */
export interface WalletUtxo extends WalletAddress {
  readonly txHash: string;
  readonly index: number;
  readonly lovelace: bigint;
  readonly assets: ReadonlyMap<Unit, bigint>;
}

/** Why a UTxO is not spent. */
export type UtxoRefusal = AddressRefusal | 'reference_script' | 'not_cbor';

/** Whether a wallet may well have this UTxO, and this service never spends it. */
export function canNeverPay(refusal: UtxoRefusal): boolean {
  return ['byron', 'script', 'pointer', 'reference_script'].includes(refusal);
}

/** An output of a transaction of 16 KB has no more. */
const MAX_ASSETS = 1_000;
const REFERENCE_SCRIPT = 3;
/** The last key of an output in the Conway ledger's CDDL. */
const LAST_KEY = 3;

/**
 * Reads one of the UTxOs that a CIP-30 wallet returns from `getUtxos` (CBOR hex): `[input, output]`. Returns the refusal of its
 * address when it has no payment key on this network, and of a reference script, for whose bytes the ledger asks an unknown fee. Our own
 * code, because the serialization library traps at some bytes (design D49).
 */
export function readWalletUtxo(hex: string, networkId: NetworkId): WalletUtxo | UtxoRefusal {
  try {
    const [input, output] = listOf(readCborTree(hex), 2);
    const [id, index] = listOf(input, 2);
    const { address, value, hasReferenceScript } = outputOf(output);
    const holding = { txHash: byteStringHex(id, 32), index: Number(uintOf(index, 65_535n)), ...valueOf(value) };
    const wallet = readAddressBytes(address, networkId);
    if (typeof wallet === 'string') return wallet;
    return hasReferenceScript ? 'reference_script' : { ...wallet, ...holding };
  } catch (error) {
    if (error instanceof CborError) return 'not_cbor';
    throw error;
  }
}

/** An output is a list (address, value, hash of a datum) or, since Babbage, a map. */
function outputOf(item: CborTree | undefined) {
  if (!item) throw new CborError('malformed');
  const fields = item.major === 4 ? new Map(item.items.entries()) : numberedFields(item, LAST_KEY);
  const [address, value] = [fields.get(0), fields.get(1)];
  if (address?.major !== 2) throw new CborError('malformed');
  return { address: address.content, value, hasReferenceScript: fields.has(REFERENCE_SCRIPT) };
}

/** A value is an amount of lovelace, or a list of that and the assets by policy and name. */
function valueOf(item: CborTree | undefined): Pick<WalletUtxo, 'lovelace' | 'assets'> {
  if (item?.major === 0) return { lovelace: uintOf(item), assets: new Map() };
  const [coin, policies] = listOf(item, 2);
  const assets = new Map<Unit, bigint>();
  for (const [policy, names] of entriesOf(policies)) {
    for (const [name, quantity] of entriesOf(names)) {
      const unit = byteStringHex(policy, 28) + nameHex(name);
      if (assets.has(unit) || assets.size === MAX_ASSETS) throw new CborError('malformed');
      assets.set(unit, uintOf(quantity));
    }
  }
  return { lovelace: uintOf(coin), assets };
}

function listOf(item: CborTree | undefined, length: number): readonly CborTree[] {
  if (item?.major !== 4 || item.items.length !== length) throw new CborError('malformed');
  return item.items;
}

function entriesOf(item: CborTree | undefined): (readonly [CborTree | undefined, CborTree | undefined])[] {
  if (item?.major !== 5) throw new CborError('malformed');
  const { items } = item;
  return Array.from({ length: items.length / 2 }, (_, at) => [items[2 * at], items[2 * at + 1]] as const);
}

function nameHex(item: CborTree | undefined): string {
  if (item?.major !== 2 || item.content.length > 32) throw new CborError('malformed');
  return item.content.toString('hex');
}

/** The number of an unsigned integer, from its bytes: `argument` is not exact beyond 2^53. */
function uintOf(item: CborTree | undefined, limit = 2n ** 63n - 1n): bigint {
  if (item?.major !== 0) throw new CborError('malformed');
  const { info, encoded } = item;
  const value = info < 24 ? BigInt(info) : BigInt(`0x${encoded.subarray(1).toString('hex')}`);
  if (value > limit) throw new CborError('malformed');
  return value;
}
