import type { Unit } from '../cardano/transaction.ts';
import { nameOf } from '../assets/rules/asset.ts';
import type { DecodedOutput } from './decoder.ts';
import { sumOf, type SigningRequest } from './policy.ts';

/** Bytes that the ledger adds for an entry of the UTxO set (Babbage ledger specification). */
const UTXO_OVERHEAD = 160;
/** Bytes of the script address of a vault, and of the longest address of a wallet. */
export const addressBytes = { vault: 29, longest: 57 } as const;
/** Of an output with one asset, besides its address, name and quantity. */
const OUTPUT_BYTES = 41;

/** The lovelace that outputs lack which are not the operator's: their min-ADA, less what others than the operator bring. */
export function lackingLovelace(request: SigningRequest): bigint {
  const { transaction, spent, operator } = request;
  const brought = sumOf(spent.filter(({ address }) => address !== operator)).lovelace;
  return atLeastNothing(minAdaOf(request, transaction.outputs) - brought);
}

/** The lovelace of the inputs at an address. */
export function lovelaceFrom({ spent }: Pick<SigningRequest, 'spent'>, from: string): bigint {
  return sumOf(spent.filter(({ address }) => address === from)).lovelace;
}

export function minAdaAt(request: SigningRequest, addresses: readonly string[]): bigint {
  return minAdaOf(
    request,
    request.transaction.outputs.filter(({ address }) => addresses.includes(address)),
  );
}

/**
 * The min-ADA of outputs that are not the operator's. At each address one counts for each unit, and one without assets: a unit that is divided
 * among many outputs needs the ADA of one.
 */
function minAdaOf({ operator, coinsPerUtxoByte }: SigningRequest, outputs: readonly DecodedOutput[]): bigint {
  const counted = new Set<string>();
  let bytes = 0;
  for (const output of outputs.filter(({ address }) => address !== operator)) {
    const units = [...(output.assets.size === 0 ? [''] : output.assets.keys())];
    const held = units.map((unit) => `${output.address} ${unit}`).filter((place) => !counted.has(place));
    if (held.length > 0) bytes += UTXO_OVERHEAD + output.bytes;
    for (const place of held) counted.add(place);
  }
  return coinsPerUtxoByte * BigInt(bytes);
}

/** The lovelace that the ledger asks of an output. */
export function minAda(
  { coinsPerUtxoByte }: Pick<SigningRequest, 'coinsPerUtxoByte'>,
  { bytes }: DecodedOutput,
): bigint {
  return coinsPerUtxoByte * BigInt(UTXO_OVERHEAD + bytes);
}

/** The min-ADA of assets that lie apart from each other at addresses of so many bytes. */
export function minAdaApart(
  { coinsPerUtxoByte }: Pick<SigningRequest, 'coinsPerUtxoByte'>,
  assets: ReadonlyMap<Unit, bigint>,
  address: number,
): bigint {
  const bytes = [...assets].map(([unit, quantity]) => {
    const name = nameOf(unit).length / 2;
    const nameBytes = name + (name < 24 ? 1 : 2);
    return UTXO_OVERHEAD + OUTPUT_BYTES + address + nameBytes + integerBytes(quantity);
  });
  return coinsPerUtxoByte * BigInt(bytes.reduce((sum, each) => sum + each, 0));
}

/** Bytes of a whole number in CBOR. */
function integerBytes(value: bigint): number {
  if (value < 24n) return 1;
  const width = [1, 2, 4].find((bytes) => value < 2n ** BigInt(8 * bytes)) ?? 8;
  return 1 + width;
}

export function atLeastNothing(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}
