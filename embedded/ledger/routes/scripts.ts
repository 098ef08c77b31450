import type { NativeScript as CslScript } from '@emurgo/cardano-serialization-lib-nodejs';
import { Router } from 'express';
import { requireFound } from '../http-response.ts';
import type { Ledger } from '../ledger.ts';
import { nativeScriptsOf } from '../transaction-view.ts';

type CslJson = ReturnType<CslScript['to_js_value']>;

/** GET /scripts/{hash}/json of a policy that has minted; other scripts are 404 here, which Blockfrost has once they are used. */
export function scriptRoutes({ chain }: Ledger): Router {
  const router = Router();
  router.get('/scripts/:hash/json', (req, res) => {
    const { hash } = req.params;
    const { cbor } = requireFound(chain.history.transaction(requireFound(chain.history.mintOf(hash))));
    res.json({ json: scriptJson(requireFound(nativeScriptsOf(cbor).get(hash))) });
  });
  return router;
}

/** The script in the form of cardano-cli, which is that of Blockfrost. */
function scriptJson(script: CslJson): object {
  if ('ScriptPubkey' in script) return { type: 'sig', keyHash: script.ScriptPubkey.addr_keyhash };
  if ('TimelockStart' in script) return { type: 'after', slot: Number(script.TimelockStart.slot) };
  if ('TimelockExpiry' in script) return { type: 'before', slot: Number(script.TimelockExpiry.slot) };
  if ('ScriptAll' in script) return { type: 'all', scripts: script.ScriptAll.native_scripts.map(scriptJson) };
  if ('ScriptAny' in script) return { type: 'any', scripts: script.ScriptAny.native_scripts.map(scriptJson) };
  const { n, native_scripts: scripts } = script.ScriptNOfK;
  return { type: 'atLeast', required: n, scripts: scripts.map(scriptJson) };
}
