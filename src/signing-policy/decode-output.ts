import { CborError } from '../cardano/cbor/fold.ts';
import { type CborTree, numberedFields } from '../cardano/cbor/item-tree.ts';
import { writeBech32 } from '../cardano/scripts/address.ts';
import type { Holding, Unit } from '../cardano/transaction.ts';
import { lovelace } from '../platform/units/money.ts';
import { mintOf } from './decode-mint.ts';
import { bytesOf, integerOf } from './decode-values.ts';

/** An output as its bytes say. */
export interface DecodedOutput extends Holding {
  /** The datum, encoded, in hex; null without one. */
  readonly datum: string | null;
  readonly hasReferenceScript: boolean;
  /** Its size, by which the ledger counts its min-ADA. */
  readonly bytes: number;
}

/** Keys of an output in the Conway ledger's CDDL. */
const field = { address: 0, value: 1, datum: 2, script: 3 } as const;

/** Decodes an output in either of its forms. Throws CborError for any other item. */
export function outputOf(item: CborTree): DecodedOutput {
  const parts = item.major === 4 ? new Map(item.items.entries()) : numberedFields(item, field.script);
  const [address, value] = [parts.get(field.address), parts.get(field.value)];
  if (!address || !value || parts.size > 4) throw new CborError('malformed');
  return {
    address: addressOf(bytesOf(address)),
    ...valueOf(value),
    datum: parts.get(field.datum)?.encoded.toString('hex') ?? null,
    hasReferenceScript: parts.has(field.script),
    bytes: item.encoded.length,
  };
}

/** Hex digits of the longest address of the Shelley era. */
const LONGEST_ADDRESS = 114;

/** The address as text; an older one, which nothing here pays, stays in hex. */
function addressOf(hex: string): string {
  return hex.length <= LONGEST_ADDRESS ? writeBech32(hex) : hex;
}

function valueOf(item: CborTree): Pick<Holding, 'lovelace' | 'assets'> {
  if (item.major !== 4) return { lovelace: lovelace(integerOf(item)), assets: new Map<Unit, bigint>() };
  const [coin, assets, ...others] = item.items;
  if (!coin || !assets || others.length > 0) throw new CborError('malformed');
  return { lovelace: lovelace(integerOf(coin)), assets: mintOf(assets) };
}
