import { Client, Connection } from '@temporalio/client';
import { vaultWorkflowId } from '../src/platform/temporal/workflow-ids.ts';
import { seedStakes } from '../test/governance/seed-stakes.ts';
import { settledVault } from '../test/governance/settled-vault.ts';
import { person } from '../test/vault-lifecycle/participants.ts';
import { type Cost, costOf } from './cost.ts';
import { propose } from './electorate.ts';
import { jobsOf } from './jobs.ts';
import { machine, machineLoad } from './machine.ts';
import { addManyVaults } from './many-vaults.ts';
import { addComparisons } from './reconciliation.ts';
import { measureReads } from './scale-reads.ts';
import { type BenchStack, benchStack } from './stack.ts';

type Print = (line: string) => void;

/** Messages to workflows: sent ones that the sweep has not deleted yet, for each vault, and unsent ones that nobody will send before it. */
const LOST_NOTICES = 1_000;

/**
 * What jobs and reads take with these numbers of vaults: half of them continue, and each has ten assets and a hundred votes. Their rows are
 * made in SQL. What the smaller number takes is what the larger one should take, but for what is done for each vault.
 */
export async function scale(print: Print, ...counts: string[]): Promise<void> {
  print(machine());
  for (const count of counts.length === 0 ? ['1000', '100000'] : counts) await measure(print, Number(count));
}

async function measure(print: Print, count: number): Promise<void> {
  await using stack = await benchStack({ RATE_LIMIT_DEFAULT: '1000000000' });
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    const client = new Client({ connection });
    await pauseSchedules(client);
    const vaultId = await votedVault(stack);
    const seeding = performance.now();
    const made = await addManyVaults(stack, vaultId, count);
    await addNotices(stack, vaultId, count);
    await addComparisons(stack, count);
    const { rows } = await stack.sql.query<{ size: string }>(
      'select pg_size_pretty(pg_database_size(current_database())) as size',
    );
    print(`\n${[...made].map(([table, rows]) => `${rows} ${table}`).join(', ')}`);
    print(`made in ${((performance.now() - seeding) / 1000).toFixed(0)} s, ${rows[0]?.size ?? ''}; ${machineLoad()}\n`);
    print('| Job | Seconds | CPU of the service | CPU of Postgres | Rows read | Scanned | Done |');
    print('| --- | ---: | ---: | ---: | ---: | --- | ---: |');
    for (const [name, run] of jobsOf(stack, client)) {
      let done = '';
      const cost = await costOf(stack, async () => (done = await run()));
      print(`${describeCost(name, cost)} ${done} |`);
    }
    print(`\n| Read | Caller | p50 | max | Rows read |\n| --- | --- | ---: | ---: | ---: |`);
    await measureReads(print, stack);
    print(`\n${machineLoad()}`);
  } finally {
    await connection.close();
  }
}

/** The jobs run when they are measured, and not for vaults that Temporal does not know. */
async function pauseSchedules(client: Client): Promise<void> {
  for await (const { scheduleId } of client.schedule.list()) await client.schedule.getHandle(scheduleId).pause();
}

/** A settled vault with a stake, a proposal and a vote. */
async function votedVault(stack: BenchStack): Promise<string> {
  const { id } = await settledVault(stack, { contributor: person(1), investor: person(2) });
  const { body } = await stack.root.get<{ now: string }>('/dev/clock');
  const wallet = person(3).address;
  await seedStakes(stack.sql, id, [{ wallet, tokens: 60_000 }], new Date(Date.parse(body.now) - 60_000));
  const proposalId = await propose(stack, id, wallet);
  const vote = { voter: { wallet_address: wallet, staked_ft_amount: 10 }, vote: 'yes' };
  const { status } = await stack.api.post(`/proposals/${proposalId}/votes`, vote);
  if (status !== 200) throw new Error(`the vote answered ${status}`);
  return id;
}

async function addNotices({ sql }: BenchStack, vaultId: string, count: number): Promise<void> {
  const message = JSON.stringify({ kind: 'signal', signal: 'transactionChanged' });
  const notices = `insert into workflow_notices (id, workflow_id, message, created_at, sent_at)
    select gen_random_uuid(), $1, $2, at, `;
  const values = [vaultWorkflowId(vaultId), message];
  await sql.query(
    `${notices} at from generate_series(1, $3::int) as n, (select now() - interval '2 hours') as past (at)`,
    [...values, count],
  );
  await sql.query(
    `${notices} null from generate_series(1, $3::int) as n, (select now() - interval '1 minute') as past (at)`,
    [...values, LOST_NOTICES],
  );
}

function describeCost(name: string, { seconds, serviceCpu, postgresCpu, rows, scanned }: Cost): string {
  const cells = [name, ...[seconds, serviceCpu, postgresCpu].map((one) => one.toFixed(2)), rows, scanned.join(', ')];
  return `| ${cells.join(' | ')} |`;
}
