import type { ColumnType, GeneratedAlways } from 'kysely';
import type { StakeReleaseReason } from '../../domain/stake/release-reason.ts';
import type { StakeStatus } from '../../domain/stake/stake.ts';
import type { Amount, NullableText, NullableTimestamp, Timestamp } from './columns.ts';

export interface StakesTable {
  id: string;
  vault_id: string;
  wallet: string;
  /** Base units, as are both powers. */
  amount: Amount;
  status: StakeStatus;
  release_reason: StakeReleaseReason | null;
  staked_at: Timestamp;
  final_at: NullableTimestamp;
  owner_alone_from: Timestamp;
  release_slot: Amount;
  script_address: string;
  locked_until: NullableTimestamp;
  /** The same rule as `votingPower` of the domain, so that no statement can make it untrue. */
  voting_power: GeneratedAlways<string>;
  used_power: ColumnType<string, bigint | undefined, bigint>;
  stake_transaction_id: string;
  unstake_transaction_id: string | null;
  /** When its last way back came to nothing; null when none did. */
  held_again_at: NullableTimestamp;
  reclaim_hash: NullableText;
  updated_at: Timestamp;
}

/** The tables of migrations 0005, 0012 and 0014. */
export interface StakeTables {
  stakes: StakesTable;
}
