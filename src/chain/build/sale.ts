import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import { splitIntoOutputs, smallestOutputs, sumHoldings } from './balance.ts';
import { type Custody, custodyInputs, subtractAssets } from './custody.ts';
import { buildFunded, type Payer } from './funding.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit, Utxo } from '../transaction.ts';

export interface Sale {
  readonly custody: Custody;
  /** Those that hold what is sold. */
  readonly utxos: readonly Utxo[];
  readonly sold: ReadonlyMap<Unit, bigint>;
  readonly price: Lovelace;
  readonly buyer: Payer;
  readonly ttlSlot: number;
}

/**
 * Assets for ADA in one transaction: custody holds exactly `price` more (output 0) and what was not sold; the buyer gets the
 * assets (next output) and pays fee and min-ADA besides. Vault, cosigners and buyer sign. Raises INSUFFICIENT_FUNDS; throws
 * RangeError for what custody does not hold.
 */
export function buildSale({ parameters }: ChainContext, input: Sale): BuiltTransaction {
  const { custody, buyer, sold, price } = input;
  const held = sumHoldings(input.utxos);
  const kept = { lovelace: lovelace(held.lovelace + price), assets: subtractAssets(held.assets, sold) };
  return buildFunded(parameters, buyer, {
    brought: custodyInputs(custody, input.utxos),
    outputs: [
      ...splitIntoOutputs(parameters, custody.address, kept),
      ...smallestOutputs(parameters, buyer.address, sold),
    ],
    ttlSlot: input.ttlSlot,
    cosigners: [custody.vaultKeyHash, ...custody.cosigners],
    namedSigners: [custody.vaultKeyHash, ...custody.cosigners],
  });
}
