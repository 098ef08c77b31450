import type { Lovelace } from '../../domain/units/money.ts';
import { buildBalanced, type Payer } from './funding.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit } from '../transaction.ts';

export interface AddAsset {
  readonly owner: Payer;
  readonly depositAddress: string;
  readonly unit: Unit;
  /** Base units. */
  readonly quantity: bigint;
  readonly deliveryDeposit: Lovelace;
  readonly ttlSlot: number;
}

/** The owner sends an asset to its deposit address (output 0). Throws ASSET_NOT_IN_WALLET and INSUFFICIENT_FUNDS. */
export function buildAddAsset({ parameters }: ChainContext, input: AddAsset): BuiltTransaction {
  return buildBalanced(parameters, input.owner, {
    outputs: [
      {
        address: input.depositAddress,
        lovelace: input.deliveryDeposit,
        assets: new Map([[input.unit, input.quantity]]),
      },
    ],
    ttlSlot: input.ttlSlot,
  });
}
