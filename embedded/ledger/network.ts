import scalus from 'scalus';
import type { Instant } from '../../src/platform/units/time.ts';

/** The embedded ledger acts as the preview testnet: network id 0, magic 2, slots of one second counted from its genesis. */
export const network = {
  id: 0 as const,
  magic: 2,
  systemStart: 1_666_656_000,
  slotLength: 1,
  epochSlots: 86_400,
  securityParameter: 432,
};

/** The same network as the rules engine knows it. */
export const slotConfig = scalus.SlotConfig.preview;

/** The slot that contains `at`. */
export function slotAt(at: Instant): number {
  return Math.floor(at / 1000) - network.systemStart;
}

/** Unix seconds at which `slot` begins. */
export function slotTime(slot: number): number {
  return network.systemStart + slot * network.slotLength;
}

/** Protocol parameters the rules engine has built in, as GET /epochs/latest/parameters names them. */
export const parameters = {
  min_fee_a: 44,
  min_fee_b: 155_381,
  max_block_size: 90_112,
  max_tx_size: 16_384,
  max_block_header_size: 1_100,
  key_deposit: '2000000',
  pool_deposit: '500000000',
  e_max: 18,
  n_opt: 500,
  a0: 0.3,
  rho: 0.003,
  tau: 0.2,
  decentralisation_param: 0,
  extra_entropy: null,
  protocol_major_ver: 10,
  protocol_minor_ver: 0,
  min_utxo: '4310',
  min_pool_cost: '170000000',
  price_mem: 0.0577,
  price_step: 0.0000721,
  max_tx_ex_mem: '16500000',
  max_tx_ex_steps: '10000000000',
  max_block_ex_mem: '72000000',
  max_block_ex_steps: '20000000000',
  max_val_size: '5000',
  collateral_percent: 150,
  max_collateral_inputs: 3,
  coins_per_utxo_size: '4310',
  coins_per_utxo_word: '4310',
  min_fee_ref_script_cost_per_byte: 15,
};
