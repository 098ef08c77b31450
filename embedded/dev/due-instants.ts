import { sql } from 'kysely';
import { type Instant, instant } from '../../src/platform/units/time.ts';
import type { VaultStatus } from '../../src/vaults/rules/vault.ts';
import type { Db, Transaction } from '../../src/platform/database/database.ts';
import { type UnendedWorkflow, unendedWorkflows } from '../../src/operations/queries.ts';
import type { WorkflowId } from '../../src/platform/temporal/workflow-ids.ts';

/** Every instant at which something is due that has not happened yet. */
const agenda = sql<{ what: string; at: Date }>`
  select 'vault ' || v.id || ': the ' || w.kind || ' window starts' as what, w.starts_at as at
    from windows w join vaults v on v.id = w.vault_id
    where w.status = 'PENDING' and v.status in ('DRAFT', 'ACTIVE') and v.failed_because is null
  union all
  select 'vault ' || v.id || ': the ' || w.kind || ' window ends', w.ends_at
    from windows w join vaults v on v.id = w.vault_id
    where w.status in ('PENDING', 'ACTIVE') and v.status in ('DRAFT', 'ACTIVE') and v.failed_because is null
  union all
  select 'vault ' || id || ': settlement deadline', settles_by
    from vaults where status in ('DRAFT', 'ACTIVE') and failed_because is null
  union all
  select 'vault ' || id || ': its programmed end', locked_at + make_interval(secs => (termination ->> 'duration')::int)
    from vaults where status = 'LOCKED' and failed_because is null and termination ->> 'type' = 'PROGRAMMED'
  union all
  select 'vault ' || id || ': the claims end', claim_deadline
    from terminations join vaults on id = vault_id where status = 'LOCKED' and ended_because is null and claim_deadline is not null
  union all
  select 'rotation ' || id || ' begins', starts_at from rotations where begun_at is null and cancelled_at is null
  union all
  select 'proposal ' || id || ': the draft expires', draft_expires_at from proposals where status = 'DRAFT'
  union all
  select 'proposal ' || id || ': voting ends', voting_ends_at from proposals where status = 'ACTIVE'
  union all
  select 'proposal ' || id || ': the execution phase ends', execution_ends_at from proposals where status = 'PASSED'
  union all
  select 'transaction ' || id || ': signatures expire', expires_at
    from chain_transactions where state = 'awaiting_signatures'
`;

/** The earliest due instant after `now`; null when there is none. */
export async function nextDueInstant(tx: Transaction, now: Instant): Promise<Instant | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(at) as at from (${agenda}) as agenda where at > ${new Date(now)}
  `.execute(tx);
  const at = rows[0]?.at ?? null;
  return at === null ? null : instant(at);
}

/** What is overdue at `now`, which transactions are not final, and which messages Temporal has not received. */
export async function unfinished(db: Db | Transaction, now: Instant): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`
    select what from (${agenda}) as agenda where at <= ${new Date(now)}
    union all
    select 'transaction ' || id || ' (' || kind || ') is ' || state
      from chain_transactions where state in ('pending', 'submitted', 'confirmed')
    union all
    select 'batch ' || id || ' of anchor chain ' || anchor_chain_id || ' is not anchored' from anchor_batches where not confirmed
    union all
    select 'proposal ' || id || ' still holds stakes' from proposals where ended_at is not null and released_at is null
    union all
    select 'proposal ' || id || ': its tally is not anchored'
      from proposals where final_tally is not null and closing_fact_id is null
    union all
    select 'a message to ' || workflow_id from workflow_notices where sent_at is null
    limit 20
  `.execute(db);
  return rows.map(({ what }) => what);
}

/** Workflows with timers: of vaults in one of `statuses`, of vaults that end or still refund, of open proposals and of open transactions. */
export async function workflowsWithTimers(db: Db, statuses: readonly VaultStatus[]): Promise<WorkflowId[]> {
  const hasTimers = ({ kind, status, isEnding }: UnendedWorkflow) =>
    kind !== 'anchorSubmitter' && (status === null || isEnding || statuses.includes(status));
  return (await unendedWorkflows(db)).filter(hasTimers).map(({ workflowId }) => workflowId);
}

/** Height of the newest block that the ledger follower has read. */
export async function followedHeight(db: Db): Promise<number> {
  const { rows } = await sql<{ height: number }>`select coalesce(max(height), 0)::int as height from blocks`.execute(
    db,
  );
  return rows[0]?.height ?? 0;
}
