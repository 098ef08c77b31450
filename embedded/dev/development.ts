import type { NetworkId } from '../../src/chain/transaction.ts';
import type { MovableClock } from './advance.ts';
import type { LedgerSwitches } from './ledger-switches.ts';
import type { Wallets } from './wallets.ts';

/** What the operations under /dev work with. */
export interface Development {
  readonly networkId: NetworkId;
  readonly switches: LedgerSwitches;
  readonly wallets: Wallets;
  readonly clock: MovableClock;
}

/** Only roles with every permission have this one. */
export const developer = (action: 'READ' | 'UPDATE') => ({ resource: 'development', action }) as const;
