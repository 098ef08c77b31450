import { z } from 'zod';
import { scriptCbor } from '../../cardano/scripts/native-script.ts';
import type { ScriptAddress } from '../../cardano/scripts/script-addresses.ts';
import { scriptJson, type ScriptJson } from '../../cardano/scripts/script-json.ts';

/** A script as everybody can check it; see docs/leaving.md. */
export const ScriptFields = z.object({
  address: z.string().describe('Address of the script, which holds what it guards'),
  cbor: z.string().describe('The script in CBOR, in hex; `tools/leave.mjs` reads it'),
  json: z
    .looseObject({ type: z.string() })
    .describe('The script in the JSON form of cardano-cli, which builds the same address from it'),
});

/** The fields of a resource with a script, as they are written. */
export type PresentedScript<Fields> = Omit<Fields, 'json'> & { readonly json: ScriptJson };

export function presentScript({ script, address }: ScriptAddress): PresentedScript<z.input<typeof ScriptFields>> {
  return { address, cbor: scriptCbor(script), json: scriptJson(script) };
}
