import { type CborTree, readCborTree } from '../cardano/cbor/item-tree.ts';
import { integerOf } from './decode-values.ts';

const DECIMALS = Buffer.from('decimals').toString('hex');

/** The decimals that an inline CIP-68 datum (an output's datum option, in hex) says; null when it says none. Throws CborError for bytes that are not CBOR. */
export function decimalsIn(datumOption: string): number | null {
  const [, encoded] = readCborTree(datumOption).items;
  const bytes = encoded?.items[0]?.content;
  return bytes ? decimalsOf(readCborTree(bytes.toString('hex'))) : null;
}

function decimalsOf({ items: [description] }: CborTree): number | null {
  const fields = description?.major === 5 ? description.items : (description?.items[0]?.items ?? []);
  const at = fields.findIndex(({ content }, index) => index % 2 === 0 && content.toString('hex') === DECIMALS);
  const value = fields[at + 1];
  return at === -1 || !value ? null : Number(integerOf(value));
}
