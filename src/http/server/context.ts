import type { Anchors } from '../../anchoring/anchors.ts';
import type { Encryption } from '../../store/encryption.ts';
import type { ChainFacts } from '../../chain/ledger/network-state.ts';
import type { Ledger } from '../../chain/ledger/ledger.ts';
import type { PriceSource } from '../../chain/price-source.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import type { DurationBounds } from '../../domain/units/duration.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import type { UnitOfWork } from '../../store/unit-of-work.ts';
import type { Courier } from '../../temporal/outbox-relay.ts';
import type { CoreContext } from './app.ts';
import type { Polling } from '../../services/votes/vote-batcher.ts';
import { routeFor } from './route.ts';

/** Something this process cannot serve requests without; rejects when it does not work. */
export type ReadinessCheck = () => Promise<void>;

/** Everything the api's routes work with. */
export interface ApiContext extends CoreContext {
  readonly unitOfWork: UnitOfWork;
  /** The instant a read speaks about. Changes take theirs from their unit of work. */
  readonly readingTime: () => Promise<Instant>;
  readonly ledger: Ledger;
  /** Raises LEDGER_UNAVAILABLE. */
  readonly chainFacts: () => Promise<ChainFacts>;
  readonly priceSource: PriceSource;
  readonly courier: Pick<Courier, 'deliver'>;
  readonly anchors: Anchors;
  readonly polling: Polling;
  readonly encryption: Encryption;
  readonly networkId: NetworkId;
  readonly durationBounds: DurationBounds;
  /** A smaller ADA side of the liquidity share fails a vault. */
  readonly lpMinimum: Lovelace;
  /** By name, as `/health/ready` shows them. */
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
}

/** Defines an operation; the only way to add one. */
export const route = routeFor<ApiContext>();
