import express, { Router } from 'express';
import type { Faults } from '../faults.ts';
import type { ChainState } from '../chain-state.ts';
import { Refusal, requireFound, pageOf } from '../http-response.ts';
import type { Ledger } from '../ledger.ts';
import { metadataJson } from '../metadata-json.ts';
import { slotTime } from '../network.ts';
import { blockAt, presentOutput, presentTransaction } from '../presentation.ts';
import { metadataOf, type TransactionView } from '../transaction-view.ts';

/** POST /tx/submit; GET /txs/{hash} with its inputs and outputs, metadata and CBOR. */
export function transactionRoutes(ledger: Ledger, faults: Faults): Router {
  const { chain } = ledger;
  const router = Router();

  router.post(
    '/tx/submit',
    requireCbor,
    express.raw({ type: () => true, limit: '1mb' }),
    submitTransaction(ledger, faults),
  );

  router.get('/txs/:hash', (req, res) => {
    const confirmed = requireFound(chain.history.transaction(req.params.hash));
    const block = blockAt(chain, confirmed.height);
    res.json({
      ...presentTransaction(chain.viewOf(confirmed.hash)),
      block: block.hash,
      block_height: block.height,
      block_time: slotTime(block.slot),
      slot: block.slot,
      index: confirmed.index,
    });
  });
  router.get('/txs/:hash/utxos', (req, res) => {
    const { hash } = requireFound(chain.history.transaction(req.params.hash));
    const view = chain.viewOf(hash);
    const outputs = view.outputs.map((output, index) => ({
      ...presentOutput(output, index),
      collateral: false,
      consumed_by_tx: chain.history.spender({ hash, index }),
    }));
    res.json({ hash, inputs: presentInputs(chain, view), outputs });
  });
  router.get('/txs/:hash/metadata', (req, res) => {
    const { cbor } = requireFound(chain.history.transaction(req.params.hash));
    res.json(metadataJson(metadataOf(cbor)));
  });
  router.get('/txs/:hash/cbor', (req, res) => {
    const { cbor } = requireFound(chain.history.transaction(req.params.hash));
    res.json({ cbor: Buffer.from(cbor).toString('hex') });
  });
  return router;
}

/** GET /mempool and its transactions. */
export function mempoolRoutes({ mempool }: Ledger): Router {
  const router = Router();
  router.get('/mempool', (req, res) => {
    res.json(
      pageOf(
        req,
        mempool.list().map((view) => ({ tx_hash: view.hash })),
      ),
    );
  });
  router.get('/mempool/:hash', (req, res) => {
    const view = requireFound(mempool.find(req.params.hash));
    const inputs = view.inputs.map((input) => ({ tx_hash: input.hash, output_index: input.index, collateral: false }));
    const outputs = view.outputs.map((output, index) => ({ ...presentOutput(output, index), collateral: false }));
    res.json({ tx: presentTransaction(view), inputs, outputs, redeemers: [] });
  });
  return router;
}

function submitTransaction(ledger: Ledger, faults: Faults): express.RequestHandler {
  return (req, res) => {
    if (faults.consume('submit429')) throw new Refusal(429, 'Usage is over limit.');
    if (faults.consume('submit425')) throw new Refusal(425, 'Mempool is full, please try resubmitting again later.');
    const cbor = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const lost = faults.settings().drop ?? 0;
    const submitted = lost > 0 ? ledger.submitAndLose(cbor) : ledger.submit(cbor);
    if (!submitted.accepted) throw new Refusal(400, submitted.message);
    if (lost > 0) faults.consume('drop');
    if (faults.consume('submit500AfterAccept'))
      throw new Refusal(500, 'An unexpected response was received from the backend.');
    res.json(submitted.hash);
  };
}

const requireCbor: express.RequestHandler = (req, _res, next) => {
  if (!req.is('application/cbor'))
    throw new Refusal(415, `Unsupported Media Type: ${req.get('content-type') ?? 'none'}`);
  next();
};

function presentInputs(chain: ChainState, view: TransactionView) {
  const all = [
    ...view.inputs.map((place) => ({ place, reference: false })),
    ...view.referenceInputs.map((place) => ({ place, reference: true })),
  ];
  return all.map(({ place, reference }) => ({
    ...presentOutput(chain.outputAt(place.hash, place.index), place.index),
    tx_hash: place.hash,
    collateral: false,
    reference,
  }));
}
