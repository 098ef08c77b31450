import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { buildWithFee } from './balance.ts';
import { requireNonNegative } from './values.ts';
import type { DraftOutput } from './draft.ts';
import { atLeastMinAda } from './outputs.ts';
import type { NativeScript } from '../scripts/native-script.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';

/** A part of what the settlement address still holds. */
export interface SettledShare {
  readonly lovelace: Lovelace;
  /** Base units. */
  readonly ft: bigint;
}

export interface LiquidityPayout {
  /** The UTxO that remains at the settlement address after the deliveries. */
  readonly settlement: Utxo;
  /** How much of its lovelace the operator added with the mint. */
  readonly float: Lovelace;
  readonly settlementScript: NativeScript;
  readonly vaultKeyHash: KeyHash;
  readonly liquidityAddress: string;
  readonly custodyAddress: string;
  readonly operatorAddress: string;
  readonly ftUnit: Unit;
  readonly liquidity: SettledShare;
  /** The shares of deposits that their owners reclaimed on their own (design D13c). */
  readonly kept: SettledShare;
  readonly ttlSlot: number;
}

export interface BuiltLiquidityPayout {
  readonly transaction: BuiltTransaction;
  /** Operator's ADA that was added to shares below their min-ADA. */
  readonly topUp: Lovelace;
}

/**
 * The last transaction of a settlement: the LP share goes to the liquidity address (output 0), the rest of the operator's float back
 * to the operator (output 1), the kept share to custody (output 2). Throws an Error unless the shares and the float are exactly what
 * the settlement holds, and INSUFFICIENT_FUNDS.
 */
export function buildLiquidityPayout({ parameters }: ChainContext, input: LiquidityPayout): BuiltLiquidityPayout {
  const { settlement, float, liquidity, kept } = input;
  assertAllShared(input);
  const toLiquidity = outputOf(parameters, input.liquidityAddress, input.ftUnit, liquidity);
  const toCustody =
    kept.lovelace === 0n && kept.ft === 0n ? [] : [outputOf(parameters, input.custodyAddress, input.ftUnit, kept)];
  const shares = [toLiquidity, ...toCustody].reduce((sum, output) => sum + output.lovelace, 0n);

  const transaction = buildWithFee(parameters, (fee) => {
    const left = lovelace(requireNonNegative(settlement.lovelace - shares - fee));
    return {
      inputs: [{ utxo: settlement, script: input.settlementScript }],
      outputs: [toLiquidity, { address: input.operatorAddress, lovelace: left, assets: new Map() }, ...toCustody],
      ttlSlot: input.ttlSlot,
      signers: [input.vaultKeyHash],
    };
  });
  return { transaction, topUp: lovelace(shares - (settlement.lovelace - float)) };
}

/** Refuses to end a settlement whose amounts do not add up. */
function assertAllShared({ settlement, float, ftUnit, liquidity, kept }: LiquidityPayout): void {
  const ft = settlement.assets.get(ftUnit) ?? 0n;
  if (ft !== liquidity.ft + kept.ft)
    throw new Error(`the settlement holds ${ft} FT, the LP share is ${liquidity.ft} and ${kept.ft} are kept`);
  const coin = settlement.lovelace - float;
  if (coin !== liquidity.lovelace + kept.lovelace)
    throw new Error(
      `the settlement holds ${coin} lovelace, the LP share is ${liquidity.lovelace} and ${kept.lovelace} are kept`,
    );
}

/** An output that holds the share, and at least its min-ADA. */
function outputOf(parameters: ProtocolParameters, address: string, ftUnit: Unit, share: SettledShare): DraftOutput {
  const assets = new Map(share.ft === 0n ? [] : [[ftUnit, share.ft]]);
  return atLeastMinAda(parameters, { address, lovelace: share.lovelace, assets });
}
