import { sql } from 'kysely';
import { type VaultStatus, vaultStatuses } from '../../vaults/rules/vault.ts';
import type { WorkflowId } from '../../platform/temporal/workflow-ids.ts';
import type { WorkflowStart } from '../../platform/temporal/messages.ts';
import type { Db } from '../../platform/database/database.ts';
import { holdingVaults } from '../../vaults/queries/holding-vaults.ts';

/** A workflow that has something left to do. */
export interface UnendedWorkflow {
  readonly workflowId: WorkflowId;
  readonly kind: WorkflowStart['workflow'];
  /** Of what it runs, such as a vault or a proposal. */
  readonly id: string;
  readonly vaultId: string | null;
  /** Only of the workflow of a vault. */
  readonly status: VaultStatus | null;
  /** Whether it is the workflow of a vault that ends or still refunds. */
  readonly isEnding: boolean;
}

/** What Postgres says about which workflows have something left to do. Anchor lanes have no end. */
const unended = sql<UnendedWorkflow>`
  select 'vault-' || id as "workflowId", 'vault' as kind, id, id as "vaultId", status,
      (select true from terminations where terminations.vault_id = vaults.id) is not null as "isEnding"
    from vaults where status = any(${vaultStatuses.filter((status) => status !== 'TERMINATED')})
  union all
  select 'vault-' || v.id, 'vault', v.id, v.id, v.status, true
    from (${holdingVaults('assets', 'LOCKED')} union ${holdingVaults('investments', 'CONFIRMED')}) as holding
      cross join lateral (select * from vaults where id = holding.vault_id offset 0) as v
    where v.status = 'TERMINATED' and v.failed_because is not null
      and (select true from terminations where terminations.vault_id = v.id) is null
  union all
  select 'proposal-' || id, 'proposal', id, vault_id, null, false from proposals where released_at is null
  union all
  select 'rotation-' || id, 'rotation', id, vault_id, null, false
    from rotations where finished_at is null and cancelled_at is null
  union all
  select owner_workflow, 'transaction', id, vault_id, null, false
    from chain_transactions
    where owner_workflow like 'tx-%' and state in ('awaiting_signatures', 'pending', 'submitted', 'confirmed')
  union all
  select 'anchor-' || id, 'anchorLane', id, null, null, false from anchor_lanes
`;

/** The workflows that have something left to do and to which every message was sent; one that was damaged never is. */
export async function unendedWorkflows(db: Db): Promise<UnendedWorkflow[]> {
  const { rows } = await sql<UnendedWorkflow>`
    select * from (${unended}) as unended
    where not exists (select from workflow_notices
      where workflow_id = "workflowId" and sent_at is null and message ->> 'kind' in ('start', 'signal'))
  `.execute(db);
  return rows;
}
