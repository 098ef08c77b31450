import { type Request, Router } from 'express';
import { assetFingerprint } from '../asset-fingerprint.ts';
import { onchainMetadata } from '../asset-metadata.ts';
import { Refusal, requireFound, pageOf } from '../http-response.ts';
import type { Ledger } from '../ledger.ts';
import { metadataJson } from '../metadata-json.ts';
import { metadataOf } from '../transaction-view.ts';

/** GET /assets/{unit}, its addresses, its history, and /metadata/txs/labels/{label}. */
export function assetRoutes({ chain }: Ledger): Router {
  const router = Router();

  function asked(req: Request<{ unit: string }>) {
    const { unit } = req.params;
    if (!/^[0-9a-f]{56}([0-9a-f]{2}){0,32}$/.test(unit)) throw new Refusal(400, 'Invalid or malformed asset format.');
    return { unit, history: requireFound(chain.history.asset(unit)) };
  }

  router.get('/assets/:unit', (req, res) => {
    const { unit, history } = asked(req);
    res.json({
      asset: unit,
      policy_id: unit.slice(0, 56),
      asset_name: unit.slice(56) || null,
      fingerprint: assetFingerprint(unit),
      quantity: String(history.quantity),
      initial_mint_tx_hash: history.mints[0],
      mint_or_burn_count: history.mints.length,
      ...onchainMetadata(chain, unit, history),
      metadata: null,
    });
  });
  router.get('/assets/:unit/addresses', (req, res) => {
    const { unit } = asked(req);
    const held = new Map<string, bigint>();
    for (const { output } of chain.utxos.holding(unit)) {
      held.set(output.address, (held.get(output.address) ?? 0n) + (output.amounts.get(unit) ?? 0n));
    }
    res.json(pageOf(req, [...held]).map(([address, quantity]) => ({ address, quantity: String(quantity) })));
  });
  router.get('/assets/:unit/history', (req, res) => {
    const { unit, history } = asked(req);
    const rows = pageOf(req, history.mints).map((tx_hash) => {
      const amount = chain.viewOf(tx_hash).mint.get(unit) ?? 0n;
      return { tx_hash, action: amount < 0n ? 'burned' : 'minted', amount: String(amount) };
    });
    res.json(rows);
  });
  router.get('/metadata/txs/labels/:label', (req, res) => {
    const { label } = req.params;
    if (!/^\d{1,19}$/.test(label)) throw new Refusal(400, 'Missing, out of range or malformed label.');
    const rows = pageOf(req, chain.history.ofLabel(label)).map((tx_hash) => {
      const metadata = metadataJson(metadataOf(requireFound(chain.history.transaction(tx_hash)).cbor));
      return { tx_hash, json_metadata: metadata.find((entry) => entry.label === label)?.json_metadata ?? null };
    });
    requireFound(rows[0]);
    res.json(rows);
  });
  return router;
}
