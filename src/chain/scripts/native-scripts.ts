import { NativeScript as CslScript } from '@emurgo/cardano-serialization-lib-nodejs';
import type { KeyHash } from '../transaction.ts';
import { withWasm, toErrors } from '../wasm.ts';

/** A native script (CDDL `native_script`); `after` and `before` are slots. */
export type NativeScript =
  | { readonly sig: KeyHash }
  | { readonly all: readonly NativeScript[] }
  | { readonly any: readonly NativeScript[] }
  | { readonly atLeast: number; readonly of: readonly NativeScript[] }
  | { readonly after: number }
  | { readonly before: number };

/** Who has signed, and the interval the transaction claims: `validFrom` inclusive, `ttl` exclusive. */
export interface ScriptContext {
  readonly signers: ReadonlySet<KeyHash>;
  readonly validFrom?: number;
  readonly ttl?: number;
}

/** Whether the ledger would accept the script; a time lock without its bound fails (Shelley-MA ledger rules). */
export function evaluateScript(script: NativeScript, evidence: ScriptContext): boolean {
  if ('sig' in script) return evidence.signers.has(script.sig);
  if ('all' in script) return script.all.every((inner) => evaluateScript(inner, evidence));
  if ('any' in script) return script.any.some((inner) => evaluateScript(inner, evidence));
  if ('of' in script) return script.of.filter((inner) => evaluateScript(inner, evidence)).length >= script.atLeast;
  if ('after' in script) return evidence.validFrom !== undefined && evidence.validFrom >= script.after;
  return evidence.ttl !== undefined && evidence.ttl <= script.before;
}

/** Hash of a script in hex: the policy id it mints under, and the payment part of its address. */
export function scriptHash(script: NativeScript): string {
  return toErrors(() =>
    withWasm(CslScript.from_json(JSON.stringify(cslScript(script))), (native) =>
      withWasm(native.hash(), (hash) => hash.to_hex()),
    ),
  );
}

/** The script in the JSON form the serialization library reads. */
export function cslScript(script: NativeScript): object {
  if ('sig' in script) return { ScriptPubkey: { addr_keyhash: script.sig } };
  if ('all' in script) return { ScriptAll: { native_scripts: script.all.map(cslScript) } };
  if ('any' in script) return { ScriptAny: { native_scripts: script.any.map(cslScript) } };
  if ('of' in script) return { ScriptNOfK: { n: script.atLeast, native_scripts: script.of.map(cslScript) } };
  if ('after' in script) return { TimelockStart: { slot: script.after.toString() } };
  return { TimelockExpiry: { slot: script.before.toString() } };
}
