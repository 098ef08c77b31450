import { lovelace } from '../../domain/units/money.ts';
import { type AssetQuantity, unitsOf } from './custody-holding.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { smallestOutputs } from './outputs.ts';
import { subtractAssets, sumHoldings } from './values.ts';
import { type Custody, custodyInputs, custodySigners } from './custody.ts';
import type { DraftOutput } from './draft.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, Utxo } from '../transaction.ts';

export interface AssetHandOver {
  readonly custody: Custody;
  /** The UTxOs in custody that hold the assets. */
  readonly utxos: readonly Utxo[];
  readonly assets: readonly (AssetQuantity & { readonly address: string })[];
  /** Pays the fee, and the min-ADA that the UTxOs lack. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * A vault that ends gives assets to wallets (design D31): they move with the ADA of their UTxOs, and what else these hold returns to
 * custody. Throws INSUFFICIENT_FUNDS, and RangeError for assets that the UTxOs do not hold.
 */
export function buildAssetHandOver({ parameters }: ChainContext, input: AssetHandOver): BuiltTransaction {
  const { custody, utxos, assets, operator, ttlSlot } = input;
  const held = sumHoldings(utxos);
  const kept = subtractAssets(held.assets, unitsOf(assets));
  const recipients = [...Map.groupBy(assets, ({ address }) => address)].flatMap(([address, theirs]) =>
    smallestOutputs(parameters, address, unitsOf(theirs)),
  );
  const returned = kept.size === 0 ? [] : smallestOutputs(parameters, custody.address, kept);
  return buildBalanced(parameters, operator, {
    fixedInputs: custodyInputs(custody, utxos),
    outputs: [...withRest(recipients, held.lovelace - sumHoldings(returned).lovelace), ...returned],
    ttlSlot,
    ...custodySigners(custody),
  });
}

/** The outputs with all of `available`: what their min-ADA leaves is in the first. */
function withRest(outputs: readonly DraftOutput[], available: bigint): DraftOutput[] {
  const rest = available - sumHoldings(outputs).lovelace;
  return outputs.map((output, index) =>
    index === 0 && rest > 0n ? { ...output, lovelace: lovelace(output.lovelace + rest) } : output,
  );
}
