import { type Lovelace, lovelace } from '../domain/money.ts';
import { buildWithFee, payable } from './balance.ts';
import { minAda } from './costs.ts';
import type { NativeScript } from './native-scripts.ts';
import type { ChainContext } from './parameters.ts';
import type { BuiltTransaction, KeyHash, Unit, Utxo } from './transaction.ts';

export interface Liquidity {
  /** What the deliveries have left at the settlement address. */
  readonly settlement: Utxo;
  readonly settlementScript: NativeScript;
  readonly vaultKeyHash: KeyHash;
  readonly liquidityAddress: string;
  readonly operatorAddress: string;
  readonly ftUnit: Unit;
  readonly lpLovelace: Lovelace;
  readonly lpFt: bigint;
  readonly ttlSlot: number;
}

export interface BuiltLiquidity {
  readonly transaction: BuiltTransaction;
  /** Operator's ADA that a share below its min-ADA needs beside it. */
  readonly topUp: Lovelace;
}

/**
 * The last transaction of a settlement: the LP share to the liquidity address (output 0), what is left of the operator's float
 * back to the operator (output 1). Throws when FT would remain; raises INSUFFICIENT_FUNDS.
 */
export function buildLiquidity({ parameters }: ChainContext, input: Liquidity): BuiltLiquidity {
  const { settlement, lpLovelace, lpFt } = input;
  const remaining = settlement.assets.get(input.ftUnit) ?? 0n;
  if (remaining !== lpFt) throw new Error(`the settlement holds ${remaining} FT, the LP share is ${lpFt}`);
  const share = { address: input.liquidityAddress, lovelace: lpLovelace, assets: settlement.assets };
  const least = minAda(parameters, share);
  const topUp = lovelace(least > lpLovelace ? least - lpLovelace : 0n);
  const toLiquidity = { ...share, lovelace: lovelace(lpLovelace + topUp) };

  const transaction = buildWithFee(parameters, (fee) => {
    const float = lovelace(payable(settlement.lovelace - toLiquidity.lovelace - fee));
    return {
      inputs: [{ utxo: settlement, script: input.settlementScript }],
      outputs: [toLiquidity, { address: input.operatorAddress, lovelace: float, assets: new Map() }],
      ttlSlot: input.ttlSlot,
      signers: [input.vaultKeyHash],
    };
  });
  return { transaction, topUp };
}
