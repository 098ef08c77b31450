import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import { buildWithFee, requireNonNegative } from './balance.ts';
import { minAda } from './costs.ts';
import type { DraftOutput } from './draft.ts';
import type { NativeScript } from '../scripts/native-scripts.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from '../transaction.ts';

/** A part of what the settlement still holds. */
export interface SettledShare {
  readonly lovelace: Lovelace;
  /** Base units. */
  readonly ft: bigint;
}

export interface Liquidity {
  /** What the deliveries have left at the settlement address. */
  readonly settlement: Utxo;
  /** How much of its lovelace the operator has put there with the mint. */
  readonly float: Lovelace;
  readonly settlementScript: NativeScript;
  readonly vaultKeyHash: KeyHash;
  readonly liquidityAddress: string;
  readonly custodyAddress: string;
  readonly operatorAddress: string;
  readonly ftUnit: Unit;
  readonly liquidity: SettledShare;
  /** The entitlements of deposits that their owners took back alone (design D13c). */
  readonly kept: SettledShare;
  readonly ttlSlot: number;
}

export interface BuiltLiquidity {
  readonly transaction: BuiltTransaction;
  /** Operator's ADA that shares below their min-ADA need beside them. */
  readonly topUp: Lovelace;
}

/**
 * The last transaction of a settlement: the LP share to the liquidity address (output 0), what is left of the operator's float
 * back to the operator (output 1), what is kept to custody (output 2). Throws unless the shares are all that the settlement
 * holds beside the float; raises INSUFFICIENT_FUNDS.
 */
export function buildLiquidity({ parameters }: ChainContext, input: Liquidity): BuiltLiquidity {
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

/** Guards the money: a settlement that does not add up is not ended. */
function assertAllShared({ settlement, float, ftUnit, liquidity, kept }: Liquidity): void {
  const ft = settlement.assets.get(ftUnit) ?? 0n;
  if (ft !== liquidity.ft + kept.ft)
    throw new Error(`the settlement holds ${ft} FT, the LP share is ${liquidity.ft} and ${kept.ft} are kept`);
  const coin = settlement.lovelace - float;
  if (coin !== liquidity.lovelace + kept.lovelace)
    throw new Error(
      `the settlement holds ${coin} lovelace, the LP share is ${liquidity.lovelace} and ${kept.lovelace} are kept`,
    );
}

/** A share with its min-ADA at least. */
function outputOf(parameters: ProtocolParameters, address: string, ftUnit: Unit, share: SettledShare): DraftOutput {
  const output = { address, lovelace: share.lovelace, assets: new Map(share.ft === 0n ? [] : [[ftUnit, share.ft]]) };
  const least = minAda(parameters, output);
  return { ...output, lovelace: least > share.lovelace ? least : share.lovelace };
}
