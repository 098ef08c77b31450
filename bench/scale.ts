import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { createVault } from '../test/vault-lifecycle/vault-requests.ts';
import { person } from '../test/vault-lifecycle/participants.ts';
import { addEndedVaults } from './ended-vaults.ts';
import { machine, machineLoad } from './machine.ts';
import { quantiles } from './quantiles.ts';
import { type BenchStack, benchStack } from './stack.ts';

type Print = (line: string) => void;

/** The jobs of Schedules, as workflow types; the first scan of addresses learns which there are. */
const jobs = ['sweep', 'valuationRefresh', 'lostWorkflows', 'unsolicitedLook', 'unsolicitedLook'];

/** A page of each list by each of its sorts, and by a filter that few rows match. */
const pages = [
  ...['createdAt', 'updatedAt', 'name', 'status'].map((sort) => `/vaults?sort=${sort}:desc`),
  ...['createdAt', 'updatedAt', 'kind', 'status'].map((sort) => `/transactions?sort=${sort}:desc`),
  ...['/vaults?status=ACTIVE', '/transactions?status=submitted', '/transactions?kind=mint'],
];
const READS = 20;

/**
 * How long jobs and lists take, and how many rows they read, after years: beside one vault that goes on there are these numbers of vaults that
 * ended two months ago, each with ten transactions. Their rows are made in SQL.
 */
export async function scale(print: Print, ...counts: string[]): Promise<void> {
  print(machine());
  for (const count of counts.length === 0 ? ['1000', '100000'] : counts) await measure(print, Number(count));
}

async function measure(print: Print, count: number): Promise<void> {
  await using stack = await benchStack();
  await createVault(stack, person(7).address);
  const seeding = performance.now();
  await addEndedVaults(stack, count);
  print(`\n${count} ended vaults, made in ${((performance.now() - seeding) / 1000).toFixed(1)} s; ${machineLoad()}\n`);
  print('| Job | Seconds | Rows read |\n| --- | ---: | ---: |');
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    for (const job of jobs) print(await runJob(stack, new Client({ connection }), job));
  } finally {
    await connection.close();
  }
  print('\n| Page | Time |\n| --- | --- |');
  for (const path of pages) print(`| \`${path}\` | ${await readPages(stack, path)} |`);
}

async function runJob({ sql }: BenchStack, client: Client, job: string): Promise<string> {
  const before = await rowsRead(sql);
  const start = performance.now();
  await client.workflow.execute(job, { taskQueue: 'vaults', workflowId: `bench-${randomUUID()}` });
  const seconds = (performance.now() - start) / 1000;
  return `| ${job} | ${seconds.toFixed(1)} | ${(await rowsRead(sql)) - before} |`;
}

/** By all statements so far; those of other jobs, too. */
async function rowsRead(sql: BenchStack['sql']): Promise<number> {
  // A backend reports what it has read once it is idle for a while.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const { rows } = await sql.query<{ rows: string }>(
    'select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables',
  );
  return Number(rows[0]?.rows);
}

async function readPages({ api }: BenchStack, path: string): Promise<string> {
  const times = [];
  for (let read = 0; read < READS; read += 1) {
    const start = performance.now();
    // No page is kept from one read to the next.
    const { status } = await api.get(`${path}${path.includes('?') ? '&' : '?'}limit=${20 + read}`);
    if (status !== 200) throw new Error(`${path}: ${status}`);
    times.push(performance.now() - start);
  }
  return quantiles(times);
}
