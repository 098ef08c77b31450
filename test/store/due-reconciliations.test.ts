import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Instant, instant, secondsAfter } from '../../src/platform/units/time.ts';
import {
  nextPlannedVaults,
  oldestComparison,
  findReconciliation,
  endReconciliation,
  insertReconciliation,
  recordCompared,
} from '../../src/books/queries/reconciliations.ts';
import type { TransactionContext } from '../../src/platform/database/unit-of-work.ts';
import { followerOf } from '../follower/follower-service.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Long after the vaults were made. */
const start = instant(Date.parse('2030-01-01T00:00:00Z'));
let service: ApiService;
let vaults: string[];

beforeAll(async () => {
  service = await apiService();
  const { address } = await service.fundedWallet({ Boat: '1' });
  const vaultId = await createVault(service, address);
  const columns = await service.sql.query<{ names: string }>(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
     where table_schema = current_schema() and table_name = 'vaults' and is_generated = 'NEVER'
       and column_name not in ('id', 'contract_address', 'policy_id')`,
  );
  const names = columns.rows[0]?.names ?? '';
  await service.sql.query(
    `insert into vaults (id, contract_address, policy_id, ${names})
     select gen_random_uuid(), contract_address || number, policy_id || number, ${names}
     from vaults, generate_series(1, 150) as number where id = $1`,
    [vaultId],
  );
  const rows = await service.sql.run<{ id: string }>`select id from vaults order by id`;
  vaults = rows.map(({ id }) => id);
});

afterAll(() => service[Symbol.asyncDispose]());

/** All vaults were compared within the last day, the first ones longest ago, and a report of the Schedule has ended. */
beforeEach(async () => {
  await service.sql.run`delete from reconciliations`;
  await service.sql.run`delete from watched_addresses`;
  await service.sql.run`update chain_transactions set updated_at = created_at`;
  for (const [position, vaultId] of vaults.entries())
    await service.sql.run`insert into vault_comparisons
        values (${vaultId}, ${new Date(secondsAfter(start, -DAY + 60 + position))}) on conflict (vault_id) do update
        set compared_at = excluded.compared_at`;
  const id = await begin(secondsAfter(start, -HOUR));
  await at(secondsAfter(start, -HOUR), (transaction) => endReconciliation(transaction, id));
});

function at<Result>(now: Instant, work: (transaction: TransactionContext) => Promise<Result>): Promise<Result> {
  return followerOf(service).context.unitOfWork((transaction) => work({ ...transaction, now }));
}

const begin = (now: Instant, startedBy: 'schedule' | 'operator' = 'schedule') =>
  at(now, (transaction) => insertReconciliation(transaction, startedBy));

const planned = (id: string, now: Instant) => at(now, (transaction) => nextPlannedVaults(transaction, id, 1000));

test('each hour the vaults are compared to which something has happened, first, and every vault once a day', async () => {
  expect(await planned(await begin(start), start)).toEqual([]);

  const [changed = '', touched = '', different = ''] = [vaults[149], vaults[148], vaults[147]];
  await service.sql.run`update chain_transactions
      set vault_id = ${changed}, updated_at = ${new Date(secondsAfter(start, -HOUR - 60))}
      where id = (select min(id::text)::uuid from chain_transactions)`;
  await service.sql.run`insert into watched_addresses values ('touched', ${touched}, 'custody', null, 1, true)`;
  const last = await begin(start);
  await at(start, (transaction) =>
    recordCompared(transaction, last, { vaultId: different, position: 1 }, [
      { code: 'POT_DIFFERS', subject: 'pot', books: '1', ledger: '2' },
    ]),
  );
  await at(start, (transaction) => endReconciliation(transaction, last));
  const later = secondsAfter(start, 120);
  const due = (await planned(await begin(later), later)).map(({ vaultId }) => vaultId);

  expect(due.slice(0, 3).toSorted()).toEqual([changed, touched, different].toSorted());
  // Those that were compared more than a day before, the oldest first.
  expect(due.slice(3)).toEqual(vaults.slice(0, 60));
});

test('after a clock was a year ahead for one report, the next ones compare what is due', async () => {
  const ahead = secondsAfter(start, 365 * DAY);
  const id = await begin(ahead);
  const compared = new Set(vaults.slice(0, 100));
  for (const vault of (await planned(id, ahead)).filter(({ vaultId }) => compared.has(vaultId)))
    await at(ahead, (transaction) => recordCompared(transaction, id, vault, []));
  await at(ahead, (transaction) => endReconciliation(transaction, id));
  const changed = vaults[149] ?? '';
  await service.sql.run`update chain_transactions
      set vault_id = ${changed}, updated_at = ${new Date(secondsAfter(start, -HOUR - 60))}
      where id = (select min(id::text)::uuid from chain_transactions)`;

  const due = (await planned(await begin(start), start)).map(({ vaultId }) => vaultId);

  expect(due).toHaveLength(101);
  expect(due[0]).toBe(changed);
  expect(new Set(due.slice(1))).toEqual(compared);
});

test('an operator compares all vaults, whenever they were compared', async () => {
  expect(await planned(await begin(start, 'operator'), start)).toHaveLength(151);
});

test('a report of the Schedule ends within its hour; what it leaves is told, and comes first in the next one', async () => {
  const tomorrow = secondsAfter(start, DAY);
  const id = await begin(tomorrow);
  const [first] = await planned(id, tomorrow);
  if (!first) throw new Error('nothing is planned');
  await at(tomorrow, (transaction) => recordCompared(transaction, id, first, []));
  await at(tomorrow, (transaction) => recordCompared(transaction, id, first, []));

  const late = secondsAfter(tomorrow, 51 * 60);
  expect(await planned(id, late)).toEqual([]);
  await at(late, (transaction) => endReconciliation(transaction, id));

  expect(await findReconciliation(service.db, id)).toMatchObject({ vaults: 1, vaultsLeft: 150 });
  const next = await planned(await begin(late), late);
  expect(next.map(({ vaultId }) => vaultId)).not.toContain(first.vaultId);
  expect(next).toHaveLength(150);
  expect(await oldestComparison(service.db)).toBe(secondsAfter(start, -DAY + 61));
});
