import { readPaymentKeyHash } from '../../chain/scripts/address.ts';
import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { Vault } from '../../store/vaults.ts';

/** What a transaction that hands assets over has brought into the pot: its recipients have keys, and what returns is in custody. */
export function handedSurplus(
  { outputs }: Pick<ChainTransaction, 'outputs'>,
  { contractAddress }: Pick<Vault, 'contractAddress'>,
): Lovelace {
  const inPot = outputs.filter(
    ({ address }) => address !== contractAddress && readPaymentKeyHash(address) === undefined,
  );
  return lovelace(inPot.reduce((sum, output) => sum + output.lovelace, 0n));
}
