import type { CborTree } from '../cardano/cbor/item-tree.ts';
import type { Unit } from '../cardano/transaction.ts';
import { bytesOf, entriesOf, integerOf } from './decode-values.ts';

/** Quantities by policy id and asset name, as in a value or a mint field. Throws CborError for any other item. */
export function mintOf(item: CborTree): ReadonlyMap<Unit, bigint> {
  return new Map(
    entriesOf(item).flatMap(([policy, names]) =>
      entriesOf(names).map(([name, quantity]): [Unit, bigint] => [
        bytesOf(policy) + bytesOf(name),
        integerOf(quantity),
      ]),
    ),
  );
}
