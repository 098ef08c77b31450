import { FixedTransaction, NativeScript, NativeScripts } from '@emurgo/cardano-serialization-lib-nodejs';
import type { Cosigners } from '../../transactions/rules/signatures.ts';
import { cslScript } from '../scripts/native-script.ts';
import { toErrors, withWasm } from '../wasm.ts';

/**
 * An unsigned transaction (CBOR hex) whose witness set also has a native script that names these cosigners. A wallet signs only with
 * keys that the transaction names, and a body can only name those who must sign. The body, and so the hash, stays as it is; the
 * script is not part of what is submitted, because the ledger refuses a script that nothing needs.
 */
export function showCosigners(cbor: string, { required, keyHashes }: Cosigners): string {
  const script = cslScript({ atLeast: required, of: keyHashes.map((sig) => ({ sig })) });
  return toErrors(() =>
    withWasm(FixedTransaction.from_hex(cbor), (fixed) => {
      fixed.set_witness_set(withWasm(fixed.witness_set(), (set) => withScript(set, script).to_bytes()));
      return fixed.to_hex();
    }),
  );
}

function withScript(set: ReturnType<FixedTransaction['witness_set']>, script: object): typeof set {
  withWasm(set.native_scripts() ?? NativeScripts.new(), (scripts) => {
    withWasm(NativeScript.from_json(JSON.stringify(script)), (added) => {
      scripts.add(added);
    });
    set.set_native_scripts(scripts);
  });
  return set;
}
