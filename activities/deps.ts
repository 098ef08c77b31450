import type { Anchors } from '../src/anchoring/anchors.ts';
import type { NetworkState } from '../src/chain/ledger/network-state.ts';
import type { Keys } from '../src/chain/keys/keys.ts';
import type { Ledger } from '../src/chain/ledger/ledger.ts';
import type { PriceSource } from '../src/chain/price-source.ts';
import type { NetworkId } from '../src/chain/transaction.ts';
import type { DurationBounds } from '../src/domain/units/duration.ts';
import type { Instant } from '../src/domain/units/instant.ts';
import type { Ids } from '../src/domain/units/ids.ts';
import type { Lovelace } from '../src/domain/units/money.ts';
import type { WindowKind } from '../src/domain/vault/window.ts';
import type { Db } from '../src/store/database.ts';
import type { UnitOfWork } from '../src/store/unit-of-work.ts';
import type { OutboxRelay } from '../src/temporal/outbox-relay.ts';

/** What a timer brings about in a vault, and in a proposal. */
export type VaultTransition = `${WindowKind}_window_${'open' | 'close'}`;
export type ProposalTransition = 'draft_expiry' | 'voting_close' | 'execution_end';

/** Everything the activities work with; each factory names the part it needs. */
export interface WorkerDeps {
  readonly db: Db;
  readonly unitOfWork: UnitOfWork;
  readonly ids: Ids;
  readonly ledger: Ledger;
  /** The network's parameters and slots, remembered for a minute. Raises LEDGER_UNAVAILABLE. */
  readonly networkState: () => Promise<NetworkState>;
  readonly priceSource: PriceSource;
  readonly keys: Keys;
  readonly outboxRelay: OutboxRelay;
  readonly anchors: Pick<Anchors, 'record'>;
  readonly networkId: NetworkId;
  /** Blocks after which a transaction is final. */
  readonly confirmationDepth: number;
  /** Expected milliseconds between two blocks. */
  readonly blockMs: number;
  readonly durationBounds: DurationBounds;
  /** A smaller ADA side of the liquidity share fails a vault. */
  readonly lpMinimum: Lovelace;
  /** Where the liquidity share goes instead of to the vault's own address. */
  readonly liquidityAddress: string | undefined;
  /** Told of each transition of a vault or a proposal once it is committed, and when it was due. */
  readonly onTransition: (transition: VaultTransition | ProposalTransition, dueAt: Instant) => void;
}
