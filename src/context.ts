import type { Anchors } from './anchoring/anchors.ts';
import type { BatchPaths } from './anchoring/facts.ts';
import type { NetworkState } from './cardano/ledger/network-state.ts';
import type { Ledger } from './cardano/ledger/ledger.ts';
import type { PriceSource } from './cardano/price-source.ts';
import type { TokenMetadata } from './cardano/tokens/picture.ts';
import type { NetworkId } from './cardano/transaction.ts';
import type { Ids } from './platform/units/ids.ts';
import type { Instant, DurationBounds } from './platform/units/time.ts';
import type { Lovelace } from './platform/units/money.ts';
import type { Db } from './platform/database/database.ts';
import type { OnUnreadable } from './platform/database/decode-rows.ts';
import type { Encryption } from './platform/database/encryption.ts';
import type { UnitOfWork } from './platform/database/unit-of-work.ts';

/** What use cases need that store or read personal data. The api alone has the key. */
export interface EncryptionContext {
  readonly encryption: Encryption;
}

/** What use cases need that anchor for free. The api alone is asked for them. */
export interface AnchoredActionQuota {
  /** How many anchored actions of a kind a wallet may do within a day. */
  readonly anchoredActionsPerDay: number;
}

/** The dependencies of use cases, for routes and activities alike. */
export interface ServiceContext {
  readonly db: Db;
  readonly ids: Ids;
  readonly unitOfWork: UnitOfWork;
  /** The current time for reads. Changes use the time of their unit of work. */
  readonly readingTime: () => Promise<Instant>;
  readonly ledger: Ledger;
  readonly networkState: () => Promise<NetworkState>;
  readonly priceSource: PriceSource;
  readonly anchors: Anchors;
  readonly batchPaths: BatchPaths;
  readonly networkId: NetworkId;
  readonly durationBounds: DurationBounds;
  /** Whether the operator's own wallet adds assets to vaults. */
  readonly operatorDeposits: boolean;
  /** A vault fails when the ADA of its liquidity share is less. */
  readonly lpMinimum: Lovelace;
  readonly tokenMetadata: TokenMetadata;
  readonly onUnreadable: OnUnreadable;
}
