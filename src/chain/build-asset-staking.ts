import { lovelace } from '../domain/money.ts';
import { smallestOutputs } from './balance.ts';
import { buildPurchase } from './build-purchase.ts';
import { type Custody, outOfCustody, vaultPayer } from './custody.ts';
import { buildPaidBy, type Payer } from './funding.ts';
import type { ChainContext } from './parameters.ts';
import type { BuiltTransaction, Unit, Utxo } from './transaction.ts';

interface AssetMove {
  readonly custody: Custody;
  /** Plain ADA in custody, for the fee and min-ADA. */
  readonly utxos: readonly Utxo[];
  readonly assets: ReadonlyMap<Unit, bigint>;
  readonly ttlSlot: number;
}

export interface AssetStaking extends AssetMove {
  /** The UTxOs in custody that hold the assets. */
  readonly holding: readonly Utxo[];
  readonly stakingAddress: string;
}

export interface AssetReturn extends AssetMove {
  /** Whoever holds the assets at the staking address, and signs. */
  readonly holder: Payer;
}

/** Assets out of custody to a staking address (output 0); the vault pays, its change returns. Raises ASSET_NOT_IN_WALLET and INSUFFICIENT_FUNDS. */
export function buildAssetStaking({ parameters }: ChainContext, input: AssetStaking): BuiltTransaction {
  const { custody } = input;
  return buildPaidBy(parameters, vaultPayer(custody, input.utxos), {
    brought: outOfCustody(custody, input.holding),
    outputs: smallestOutputs(parameters, input.stakingAddress, input.assets),
    ttlSlot: input.ttlSlot,
    cosigners: custody.cosigners,
    namedSigners: [custody.vaultKeyHash, ...custody.cosigners],
  });
}

/** Assets from a staking address back into custody, one output each from output 0 on: a purchase for nothing. Raises as one. */
export function buildAssetReturn(context: ChainContext, { holder, assets, ...move }: AssetReturn): BuiltTransaction {
  return buildPurchase(context, { ...move, bought: assets, price: lovelace(0n), seller: holder });
}
