import { Router } from 'express';
import type { Ledger } from '../ledger.ts';
import { network, parameters, slotTime } from '../network.ts';
import { costModels } from '../cost-models.ts';
import { blockAt } from '../presentation.ts';

/** GET /health, /genesis, /network/eras, /epochs/latest and the protocol parameters. */
export function networkRoutes(ledger: Ledger): Router {
  const router = Router();

  router.get('/', (_req, res) => {
    res.json({ url: 'https://blockfrost.io/', version: '0.1.0' });
  });
  router.get('/health', (_req, res) => {
    res.json({ is_healthy: true });
  });
  router.get('/health/clock', (_req, res) => {
    res.json({ server_time: ledger.now() });
  });
  router.get('/genesis', (_req, res) => {
    res.json(genesis);
  });
  router.get('/network/eras', (_req, res) => {
    const epoch = Math.floor(ledger.currentSlot() / network.epochSlots) + 2;
    const slot = epoch * network.epochSlots;
    res.json([
      {
        start: { time: 0, slot: 0, epoch: 0 },
        end: { time: slot * network.slotLength, slot, epoch },
        parameters: {
          epoch_length: network.epochSlots,
          slot_length: network.slotLength,
          safe_zone: Math.floor((3 * network.securityParameter) / 0.05),
        },
      },
    ]);
  });
  router.get('/epochs/latest', (_req, res) => {
    const epoch = Math.floor(ledger.currentSlot() / network.epochSlots);
    const start_time = slotTime(epoch * network.epochSlots);
    res.json({ epoch, start_time, end_time: start_time + network.epochSlots * network.slotLength });
  });
  router.get('/epochs/latest/parameters', (_req, res) => {
    const epoch = Math.floor(ledger.currentSlot() / network.epochSlots);
    res.json({ epoch, nonce: blockAt(ledger.chain, 0).hash, ...parameters, cost_models_raw: costModels });
  });
  return router;
}

const genesis = {
  active_slots_coefficient: 0.05,
  update_quorum: 5,
  max_lovelace_supply: '45000000000000000',
  network_magic: network.magic,
  epoch_length: network.epochSlots,
  system_start: network.systemStart,
  slots_per_kes_period: 129_600,
  slot_length: network.slotLength,
  max_kes_evolutions: 62,
  security_param: network.securityParameter,
};
