import type { AssetType } from '../../../assets/rules/asset.ts';
import type { Price } from '../../../prices/rules/valuation.ts';

import type { ExecutionStatus } from '../../../executions/rules/execution.ts';
import type { Signer } from '../../../executions/rules/required-signatures.ts';
import type { ProposalType } from '../../../proposals/rules/proposal.ts';
import type { Json, NullableJson, NullableTimestamp, Timestamp } from './columns.ts';
import type { StoredTerms } from './proposals.ts';

/** A bought asset with its price, lovelace as text. */
interface StoredPurchase {
  readonly type: AssetType;
  readonly price: Omit<Price, 'lovelace'> & { readonly lovelace: string };
}

export interface ExecutionsTable {
  id: string;
  proposal_id: string;
  vault_id: string;
  transaction_id: string;
  frozen_by: string;
  executed_by: string | null;
  /** As the client sent it. */
  action: Json<{ readonly type: string; readonly details: Readonly<Record<string, unknown>> }>;
  type: ProposalType;
  asset_ids: string[];
  /** Amounts as text; every term is decided. */
  terms: Json<StoredTerms>;
  cosigners: Json<readonly Signer[]>;
  /** How many of them have to sign. */
  required_cosigners: number;
  partner: NullableJson<Signer>;
  bought: NullableJson<StoredPurchase>;
  status: ExecutionStatus;
  reason: string | null;
  created_at: Timestamp;
  executed_at: NullableTimestamp;
}

export interface ExecutionTables {
  executions: ExecutionsTable;
}
