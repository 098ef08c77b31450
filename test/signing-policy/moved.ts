import { lovelace } from '../../src/platform/units/money.ts';
import { decodeTransaction } from '../../src/signing-policy/decoder.ts';

/** A transaction of which so much lovelace moves from one output to another. */
export function moved(cbor: string, [from, to]: readonly [number, number], amount: bigint) {
  const honest = decodeTransaction(cbor);
  const outputs = honest.outputs.map((output, index) => {
    const more = index === from ? -amount : index === to ? amount : 0n;
    return { ...output, lovelace: lovelace(output.lovelace + more) };
  });
  return { ...honest, outputs };
}
