import type { KeyHash } from '../transaction.ts';
import type { NativeScript } from './native-script.ts';

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
