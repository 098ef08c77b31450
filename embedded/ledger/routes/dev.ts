import express, { Router } from 'express';
import { z } from 'zod';
import { FaultSettings, type Faults } from '../faults.ts';
import { faucetPolicy, sendGift } from '../faucet.ts';
import { Refusal, parseBody } from '../http-response.ts';
import type { Ledger } from '../ledger.ts';
import { ROLLBACK_DEPTH } from '../chain-state.ts';
import { parseAddress } from './addresses.ts';

const MAX_QUANTITY = 2n ** 63n - 1n;

const Quantity = z
  .string()
  .regex(/^[1-9]\d{0,18}$/, 'must be a positive decimal string')
  .transform((text) => BigInt(text))
  .refine((quantity) => quantity <= MAX_QUANTITY, 'must be at most 2^63 - 1');

const GiftRequest = z.strictObject({
  address: z.string(),
  lovelace: Quantity.optional(),
  assets: z
    .array(
      z.strictObject({
        assetNameHex: z.string().regex(/^([0-9a-f]{2}){0,32}$/, 'must be 0-32 bytes in lower-case hex'),
        quantity: Quantity,
      }),
    )
    .max(100)
    .refine(
      (assets) => new Set(assets.map((asset) => asset.assetNameHex)).size === assets.length,
      'names an asset twice',
    )
    .default([]),
});

// A century: slots of a block are kept in 32 bits.
const ClockRequest = z.strictObject({ offsetMs: z.int().max(100 * 365 * 86_400_000) });
const MineRequest = z.strictObject({ blocks: z.int().min(1).max(1_000).default(1) });
const RollbackRequest = z.strictObject({ blocks: z.int().min(1).max(ROLLBACK_DEPTH) });

/** The development endpoints of the ledger: faucet, clock, blocks on demand, rollback, faults. */
export function devRoutes(ledger: Ledger, faults: Faults): Router {
  const router = Router();
  router.use(express.json({ limit: '1mb' }));

  router.post('/faucet', (req, res) => {
    const { address, lovelace, assets } = parseBody(GiftRequest, req);
    const txHash = sendGift(ledger, {
      address: parseAddress(address),
      lovelace: lovelace ?? null,
      assets: assets.map(({ assetNameHex, quantity }) => ({ name: assetNameHex, quantity })),
    });
    res.json({ txHash, policyId: faucetPolicy });
  });

  router.get('/clock', (_req, res) => {
    res.json({ offsetMs: ledger.offsetMs(), slot: ledger.currentSlot(), nowMs: ledger.now() });
  });
  router.post('/clock', (req, res) => {
    const { offsetMs } = parseBody(ClockRequest, req);
    refusingRange(() => {
      ledger.moveClock(offsetMs);
    });
    res.json({ slot: ledger.currentSlot(), nowMs: ledger.now() });
  });

  router.post('/mine', (req, res) => {
    const { height, slot } = ledger.mine(parseBody(MineRequest, req).blocks);
    res.json({ height, slot });
  });
  router.post('/rollback', (req, res) => {
    const { blocks } = parseBody(RollbackRequest, req);
    const { height, slot, hash } = refusingRange(() => ledger.rollback(blocks));
    res.json({ height, slot, hash });
  });

  router.get('/faults', (_req, res) => {
    res.json(faults.settings());
  });
  router.post('/faults', (req, res) => {
    faults.set(parseBody(FaultSettings, req));
    res.json(faults.settings());
  });
  router.post('/mempool/forget', (_req, res) => {
    ledger.mempool.forget(ledger.chain.rulesAtTip());
    res.json({});
  });
  router.get('/mempool', (_req, res) => {
    res.json({ size: ledger.mempool.size() });
  });
  return router;
}

function refusingRange<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal(400, error.message);
    throw error;
  }
}
