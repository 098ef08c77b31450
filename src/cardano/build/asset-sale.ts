import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { splitIntoOutputs, smallestOutputs } from './outputs.ts';
import { sumHoldings, subtractAssets } from './values.ts';
import { type Custody, custodyInputs, custodySigners } from './custody.ts';
import type { DraftOutput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit, Utxo } from '../transaction.ts';

export interface AssetSale {
  readonly custody: Custody;
  /** The UTxOs in custody that hold the sold assets. */
  readonly utxos: readonly Utxo[];
  readonly assets: ReadonlyMap<Unit, bigint>;
  readonly price: Lovelace;
  readonly buyer: Payer;
  /** Where the price goes; custody unless the vault ends. */
  readonly proceedsAddress?: string | undefined;
  readonly ttlSlot: number;
}

/**
 * The vault sells assets: output 0 has the ADA of the spent UTxOs with `price` added, and the assets that are not sold where it goes to
 * custody. The next output gives the buyer the assets; the buyer also pays the fee and the min-ADA. Vault, cosigners and buyer sign.
 * Throws INSUFFICIENT_FUNDS, and RangeError for assets that custody does not hold.
 */
export function buildAssetSale({ parameters }: ChainContext, input: AssetSale): BuiltTransaction {
  const { custody, buyer, assets } = input;
  return buildBalanced(parameters, buyer, {
    fixedInputs: custodyInputs(custody, input.utxos),
    outputs: [...vaultOutputs(parameters, input), ...smallestOutputs(parameters, buyer.address, assets)],
    ttlSlot: input.ttlSlot,
    ...custodySigners(custody),
  });
}

/** What the vault has afterwards. One that ends shares the ADA, and keeps what it has not sold in custody, with as little of it as possible. */
function vaultOutputs(
  parameters: ProtocolParameters,
  { custody, utxos, assets, price, proceedsAddress }: AssetSale,
): DraftOutput[] {
  const held = sumHoldings(utxos);
  const left = subtractAssets(held.assets, assets);
  const returned = { lovelace: lovelace(held.lovelace + price), assets: left };
  if (proceedsAddress === undefined) return splitIntoOutputs(parameters, custody.address, returned);
  const kept = left.size === 0 ? [] : smallestOutputs(parameters, custody.address, left);
  const proceeds = {
    ...returned,
    lovelace: lovelace(returned.lovelace - sumHoldings(kept).lovelace),
    assets: new Map(),
  };
  return [...splitIntoOutputs(parameters, proceedsAddress, proceeds), ...kept];
}
