import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import { splitIntoOutputs, smallestOutputs } from './outputs.ts';
import { sumHoldings, subtractAssets } from './values.ts';
import { type Custody, custodyInputs, custodySigners } from './custody.ts';
import { buildBalanced, type Payer } from './funding.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit, Utxo } from '../transaction.ts';

export interface AssetSale {
  readonly custody: Custody;
  /** The UTxOs in custody that hold the sold assets. */
  readonly utxos: readonly Utxo[];
  readonly assets: ReadonlyMap<Unit, bigint>;
  readonly price: Lovelace;
  readonly buyer: Payer;
  readonly ttlSlot: number;
}

/**
 * The vault sells assets: output 0 returns the spent UTxOs to custody, without the sold assets and with `price` added. The next output
 * gives the buyer the assets; the buyer also pays the fee and the min-ADA. Vault, cosigners and buyer sign. Throws INSUFFICIENT_FUNDS,
 * and RangeError for assets that custody does not hold.
 */
export function buildAssetSale({ parameters }: ChainContext, input: AssetSale): BuiltTransaction {
  const { custody, buyer, assets, price } = input;
  const held = sumHoldings(input.utxos);
  const returned = { lovelace: lovelace(held.lovelace + price), assets: subtractAssets(held.assets, assets) };
  return buildBalanced(parameters, buyer, {
    fixedInputs: custodyInputs(custody, input.utxos),
    outputs: [
      ...splitIntoOutputs(parameters, custody.address, returned),
      ...smallestOutputs(parameters, buyer.address, assets),
    ],
    ttlSlot: input.ttlSlot,
    ...custodySigners(custody),
  });
}
