import type { NetworkId } from '../../src/cardano/transaction.ts';
import type { MovableClock } from './movable-clock.ts';
import type { LedgerControls } from './ledger-controls.ts';
import type { Wallets } from './wallets.ts';

/** The dependencies of the operations under /dev. */
export interface Development {
  readonly networkId: NetworkId;
  readonly ledgerControls: LedgerControls;
  readonly wallets: Wallets;
  readonly clock: MovableClock;
}

/** A permission that only roles with every permission have. */
export const developerPermission = (action: 'READ' | 'UPDATE') => ({ resource: 'development', action }) as const;
