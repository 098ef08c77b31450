import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { buildBalanced, type Payer } from './funding.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction } from '../transaction.ts';

export interface Invest {
  readonly investor: Payer;
  readonly depositAddress: string;
  /** The investment, without the delivery deposit. */
  readonly lovelace: Lovelace;
  readonly deliveryDeposit: Lovelace;
  readonly ttlSlot: number;
}

/** The investor sends ADA to their deposit address (output 0). Throws INSUFFICIENT_FUNDS. */
export function buildInvest({ parameters }: ChainContext, input: Invest): BuiltTransaction {
  const deposited = lovelace(input.lovelace + input.deliveryDeposit);
  return buildBalanced(parameters, input.investor, {
    outputs: [{ address: input.depositAddress, lovelace: deposited, assets: new Map() }],
    ttlSlot: input.ttlSlot,
  });
}
