import { expect, test } from '@jest/globals';
import { restartLostWorkflows } from '../../src/operations/upkeep.ts';
import { unendedWorkflows } from '../../src/operations/queries.ts';
import type { LostWorkflow, RunEnd } from '../../src/platform/temporal/running-workflows.ts';
import { ledgerFollowerId } from '../../src/platform/temporal/workflow-ids.ts';
import { unitOfWorkOf } from '../governance/record-moves.ts';
import { lockedVault, propose } from '../governance/staked-vault.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import type { WorkerContext } from '../../src/worker-context.ts';

const ends: readonly RunEnd[] = ['ABSENT', 'FAILED', 'TERMINATED', 'CANCELLED', 'TIMED_OUT', 'STUCK'];

test('each kind of workflow is started again, however it was lost, and one that runs is not', async () => {
  await using service = await apiService();
  const { db, sql } = service;
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const proposalId = await propose(service, vaultId, proposer);
  const rotationId = crypto.randomUUID();
  await sql.run`insert into rotations (id, vault_id, reason, is_urgent, target, announced_at, starts_at)
     values (${rotationId}, ${vaultId}, 'a test', true, '{}', now(), now())`;
  const rows = await sql.run<{ transaction: string; anchorChain: string }>`update chain_transactions
     set owner_workflow = 'tx-' || id where vault_id = ${vaultId}
     returning id as transaction, (select id from anchor_chains) as "anchorChain"`;
  const { transaction: transactionId = '', anchorChain: anchorChainId = '' } = rows[0] ?? {};
  const starts = [
    { workflow: 'vault', vaultId },
    { workflow: 'proposal', proposalId, vaultId },
    { workflow: 'rotation', rotationId, vaultId },
    { workflow: 'transaction', transactionId, vaultId },
    { workflow: 'anchorSubmitter', anchorChainId },
  ].toSorted((one, other) => one.workflow.localeCompare(other.workflow));
  const kinds = starts.map(({ workflow }) => workflow);

  for (const end of ends) {
    await service.sql.run`update workflow_notices set sent_at = now() where sent_at is null`;
    const { lost, terminated, restarted } = await restartAll(service, () => end);
    expect(lost).toEqual(kinds.map((kind) => `${kind} ${end}`));
    expect(restarted).toBe(kinds.length);
    expect(terminated).toHaveLength(end === 'STUCK' ? kinds.length : 0);
    const sent = await sql.run<{ message: object }>`select message from workflow_notices
        where sent_at is null order by message->>'workflow'`;
    expect(sent.map(({ message }) => message)).toEqual(
      starts.map((start) => ({ kind: 'start', again: true, ...start })),
    );
  }

  // One that was damaged is never sent, and hides nothing.
  for (const damaged of ['null', '{}']) {
    await sql.run`update workflow_notices set sent_at = null, message = ${damaged}`;
    expect(await unendedWorkflows(db)).toHaveLength(kinds.length);
  }
  await sql.run`update workflow_notices set sent_at = now() where sent_at is null`;
  expect(await unendedWorkflows(db)).toHaveLength(kinds.length);
  expect(await restartAll(service, () => null)).toEqual({ lost: [], terminated: [], restarted: 0 });
});

/** Looks for lost workflows with a Temporal that runs only the follower, and of which `endOf` says how the others ended. */
async function restartAll({ db }: ApiService, endOf: () => RunEnd | null) {
  const [lost, terminated]: [LostWorkflow[], string[]] = [[], []];
  const restarted = await restartLostWorkflows({
    db,
    ...unitOfWorkOf({ db }),
    outboxRelay: { deliver: () => undefined, deliverAll: () => Promise.resolve(0), close: () => Promise.resolve() },
    runningWorkflows: {
      list: () => Promise.resolve(new Map([[ledgerFollowerId, 'ledgerFollower']])),
      endOf: () => Promise.resolve(endOf()),
      terminate: (workflowId: string) => Promise.resolve(void terminated.push(workflowId)),
      startLedgerFollower: () => Promise.reject(new Error('it runs')),
    },
    onLostWorkflow: (found: LostWorkflow) => void lost.push(found),
  } as unknown as WorkerContext);
  return { lost: lost.map(({ kind, end }) => `${kind} ${end}`).toSorted(), terminated, restarted };
}
