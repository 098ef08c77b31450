import type { Lovelace } from '../../platform/units/money.ts';
import { buildBalanced, type Payer } from './funding.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction } from '../transaction.ts';

export interface FanOut {
  readonly operator: Payer;
  readonly count: number;
  /** Lovelace of each new UTxO. */
  readonly lovelace: Lovelace;
  readonly ttlSlot: number;
}

/** Splits operator funds into `count` equal UTxOs, so that as many transactions can run in parallel. Throws INSUFFICIENT_FUNDS. */
export function buildFanOut({ parameters }: ChainContext, input: FanOut): BuiltTransaction {
  const output = { address: input.operator.address, lovelace: input.lovelace, assets: new Map<string, bigint>() };
  return buildBalanced(parameters, input.operator, {
    outputs: Array.from({ length: input.count }, () => output),
    ttlSlot: input.ttlSlot,
  });
}
