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

/** The keys that signed, and the validity interval of the transaction: `validFrom` inclusive, `ttl` exclusive. */
interface ScriptContext {
  readonly signers: ReadonlySet<KeyHash>;
  readonly validFrom?: number;
  readonly ttl?: number;
}

/** Whether the ledger would accept the script; a time lock without its bound fails (Shelley-MA ledger rules). */
export function evaluateScript(script: NativeScript, context: ScriptContext): boolean {
  if ('sig' in script) return context.signers.has(script.sig);
  if ('all' in script) return script.all.every((inner) => evaluateScript(inner, context));
  if ('any' in script) return script.any.some((inner) => evaluateScript(inner, context));
  if ('of' in script) return script.of.filter((inner) => evaluateScript(inner, context)).length >= script.atLeast;
  if ('after' in script) return context.validFrom !== undefined && context.validFrom >= script.after;
  return context.ttl !== undefined && context.ttl <= script.before;
}

/** Hash of a script in hex: the policy id it mints under, and the payment part of its address. */
export function scriptHash(script: NativeScript): string {
  return withNative(script, (native) => withWasm(native.hash(), (hash) => hash.to_hex()));
}

/** The script in CBOR, in hex (CDDL `native_script`). */
export function scriptCbor(script: NativeScript): string {
  return withNative(script, (native) => native.to_hex());
}

function withNative<Result>(script: NativeScript, use: (native: CslScript) => Result): Result {
  return toErrors(() => withWasm(CslScript.from_json(JSON.stringify(cslScript(script))), use));
}

/** The script in the JSON form that the serialization library reads. */
export function cslScript(script: NativeScript): object {
  if ('sig' in script) return { ScriptPubkey: { addr_keyhash: script.sig } };
  if ('all' in script) return { ScriptAll: { native_scripts: script.all.map(cslScript) } };
  if ('any' in script) return { ScriptAny: { native_scripts: script.any.map(cslScript) } };
  if ('of' in script) return { ScriptNOfK: { n: script.atLeast, native_scripts: script.of.map(cslScript) } };
  if ('after' in script) return { TimelockStart: { slot: script.after.toString() } };
  return { TimelockExpiry: { slot: script.before.toString() } };
}

/** A script in the JSON form of cardano-cli. */
export type ScriptJson =
  | { readonly type: 'sig'; readonly keyHash: KeyHash }
  | { readonly type: 'all' | 'any'; readonly scripts: readonly ScriptJson[] }
  | { readonly type: 'atLeast'; readonly required: number; readonly scripts: readonly ScriptJson[] }
  | { readonly type: 'after' | 'before'; readonly slot: number };

/** The script as `cardano-cli address build --payment-script-file` reads it. */
export function scriptJson(script: NativeScript): ScriptJson {
  if ('sig' in script) return { type: 'sig', keyHash: script.sig };
  if ('all' in script) return { type: 'all', scripts: script.all.map(scriptJson) };
  if ('any' in script) return { type: 'any', scripts: script.any.map(scriptJson) };
  if ('of' in script) return { type: 'atLeast', required: script.atLeast, scripts: script.of.map(scriptJson) };
  return 'after' in script ? { type: 'after', slot: script.after } : { type: 'before', slot: script.before };
}
