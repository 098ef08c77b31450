import { lovelace } from '../../platform/units/money.ts';
import { type AssetQuantity, unitsOf } from './custody-holding.ts';
import { minAda } from './costs.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { smallestOutputs } from './outputs.ts';
import { subtractAssets, sumHoldings } from './values.ts';
import { type Custody, custodyInputs, custodySigners } from './custody.ts';
import type { DraftOutput } from './draft.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit, Utxo } from '../transaction.ts';

export interface AssetHandOver {
  readonly custody: Custody;
  /** The UTxOs in custody that hold the assets. */
  readonly utxos: readonly Utxo[];
  readonly assets: readonly (AssetQuantity & { readonly address: string })[];
  /** Where the ADA goes that nothing needs: to those who hold tokens; null when nobody does. */
  readonly claimsAddress: string | null;
  /** Pays the fee, and the min-ADA that the UTxOs lack. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * A vault that ends gives assets to wallets (design D31): they move with their min-ADA, what else their UTxOs hold returns to custody, and
 * the ADA that is left goes into the pot; without one, and less than an output has to hold, goes to the first wallet. Throws INSUFFICIENT_FUNDS, and
 * RangeError for assets that the UTxOs do not hold.
 */
export function buildAssetHandOver({ parameters }: ChainContext, input: AssetHandOver): BuiltTransaction {
  const { custody, utxos, assets, claimsAddress, operator, ttlSlot } = input;
  const held = sumHoldings(utxos);
  const kept = subtractAssets(held.assets, unitsOf(assets));
  const recipients = [...Map.groupBy(assets, ({ address }) => address)].flatMap(([address, theirs]) =>
    smallestOutputs(parameters, address, unitsOf(theirs)),
  );
  const returned = kept.size === 0 ? [] : smallestOutputs(parameters, custody.address, kept);
  return buildBalanced(parameters, operator, {
    fixedInputs: custodyInputs(custody, utxos),
    outputs: withRest(parameters, [...recipients, ...returned], { available: held.lovelace, claimsAddress }),
    ttlSlot,
    ...custodySigners(custody),
  });
}

/** The outputs with all of `available`. */
function withRest(
  parameters: ProtocolParameters,
  outputs: readonly DraftOutput[],
  { available, claimsAddress: address }: { readonly available: bigint; readonly claimsAddress: string | null },
): DraftOutput[] {
  const left = available - sumHoldings(outputs).lovelace;
  const rest = lovelace(left > 0n ? left : 0n);
  const shared = address === null ? null : { address, lovelace: rest, assets: new Map<Unit, bigint>() };
  if (shared !== null && rest >= minAda(parameters, shared)) return [...outputs, shared];
  return outputs.map((output, index) =>
    index === 0 ? { ...output, lovelace: lovelace(output.lovelace + rest) } : output,
  );
}
