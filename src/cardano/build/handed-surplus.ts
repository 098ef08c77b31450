import { readPaymentKeyHash } from '../scripts/address.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Holding } from '../transaction.ts';

/** What a transaction that hands assets over has brought into the pot: its recipients have keys, and what returns is in custody. */
export function handedSurplus(
  { outputs }: { readonly outputs: readonly Holding[] },
  { contractAddress }: { readonly contractAddress: string },
): Lovelace {
  const inPot = outputs.filter(
    ({ address }) => address !== contractAddress && readPaymentKeyHash(address) === undefined,
  );
  return lovelace(inPot.reduce((sum, output) => sum + output.lovelace, 0n));
}
