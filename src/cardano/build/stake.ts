import type { Lovelace } from '../../platform/units/money.ts';
import { deliveryDeposits } from './deposits.ts';
import { buildBalanced, type Payer } from './funding.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit } from '../transaction.ts';

export interface Stake {
  readonly owner: Payer;
  /** Of the owner's own stake script. */
  readonly stakeAddress: string;
  readonly ftUnit: Unit;
  /** Base units. */
  readonly amount: bigint;
  /** See `stakeDeposit`. */
  readonly returnDeposit: Lovelace;
  readonly ttlSlot: number;
}

/** Lovelace that is staked with the tokens: it pays for their return, and the rest returns with them. */
export function stakeDeposit(parameters: ProtocolParameters): Lovelace {
  return deliveryDeposits(parameters).investment;
}

/** The owner sends fractional tokens to their stake script (output 0). Throws ASSET_NOT_IN_WALLET and INSUFFICIENT_FUNDS. */
export function buildStake({ parameters }: ChainContext, input: Stake): BuiltTransaction {
  const assets = new Map([[input.ftUnit, input.amount]]);
  return buildBalanced(parameters, input.owner, {
    outputs: [{ address: input.stakeAddress, lovelace: input.returnDeposit, assets }],
    ttlSlot: input.ttlSlot,
  });
}
