import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  depositsToPay,
  isAnyUnpaid,
  depositsToReturn,
  reclaimedDeposits,
  openBatches,
  owedDeliveries,
} from '../../src/settlement/queries/payments.ts';
import { entitlementsOfDeposits } from '../../src/settlement/queries/settlements.ts';
import { depositsInQuarantine } from '../../src/ledger-follower/queries/quarantine.ts';
import {
  extendReclaimCheck,
  readReclaimCheck,
  saveReclaimCheck,
  lastSettlementOutput,
} from '../../src/settlement/queries/outputs.ts';
import { reclaimedInvestments, reclaimedShares } from '../../src/investments/queries/quotes.ts';
import { decodeRows } from '../../src/platform/database/decode-rows.ts';
import { type DepositRow, readDeposit, refOf } from '../../src/assets/queries/deposits.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { scansOf } from './plan-scans.ts';
import { recordStatements, type Statement } from './recorded-statements.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

const PAID = 900;
const OPEN = 300;

async function newVault({ api }: ApiService): Promise<string> {
  return createVault({ api }, newWallet().address);
}

/** A planned vault with paid and unpaid investments; every tenth of those that are open is returned by the settlement. */
async function plannedVault(service: ApiService): Promise<string> {
  const vaultId = await newVault(service);
  const { sql } = service;
  await sql.run`insert into settlements (vault_id, distribution, planned_at) values (${vaultId}, '{}', now())`;
  await sql.query(
    `with made as (
       select gen_random_uuid() as id, n, md5(n::text) || md5(n::text || 'x') as hash from generate_series(1, $2::int) n
     ), transactions as (
       insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, hash, unsigned_cbor, inputs, outputs,
         required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
       select id, 'invest', $1, 'test', 'wallet', hash, '', '[]', jsonb_build_array(jsonb_build_object('txHash', hash,
         'index', 0, 'address', 'a', 'lovelace', '7', 'assets', '{}'::jsonb)), '{}', 0, 0, now(), 'final', now(), now() from made
       returning outputs
     ), invested as (
       insert into investments (id, vault_id, wallet, lovelace, delivery_deposit, status, return_reason, transaction_id,
         created_at, updated_at)
       select id, $1, 'w' || n, n, 2, case when n <= $3 then 'SETTLED' else 'CONFIRMED' end,
         case when n > $3 and n % 10 = 0 then 'value_below_bound' end, id, now() + n * interval '1 microsecond', now() from made
     ), paying as (
       insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, hash, unsigned_cbor, inputs, outputs,
         required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
       select $4::uuid, 'deliver', $1, 'test', 'platform', 'paying', '', '[]', outputs, '{}', 0, 0, now(), 'final', now(), now()
         from transactions limit 1
     ), paid as (
       insert into transaction_deposits (transaction_id, deposit_id, deposit_kind, payment)
       select $4, id, 'investment', '{}' from made where n <= $3
     )
     insert into entitlements (vault_id, deposit_id, deposit_kind, wallet, position, ft, lovelace)
     select $1, id, 'investment', 'w' || n, n, n, 0 from made where n <= $3 or n % 10 <> 0`,
    [vaultId, PAID + OPEN, PAID, randomUUID()],
  );
  await sql.run`analyze investments, entitlements, transaction_deposits, chain_transactions`;
  return vaultId;
}

const walletsOf = (rows: readonly DepositRow[]) => rows.map((row) => Number(readDeposit(row).owner.slice(1)));
const numbers = (which: (n: number) => boolean) =>
  Array.from({ length: OPEN }, (_, index) => PAID + 1 + index).filter(which);

/** The most rows that a part of the plan of a statement has read. */
async function mostRows({ sql }: ApiService, { text, values }: Statement): Promise<number> {
  const { rows } = await sql.query<{ 'QUERY PLAN': string }>(`explain (analyze, timing off) ${text}`, [...values]);
  const lines = rows.map((row) => row['QUERY PLAN']);
  const actual = lines.flatMap((line) => /actual rows=([\d.]+) loops=(\d+)/.exec(line)?.slice(1, 3).map(Number) ?? []);
  return Math.max(...actual);
}

test('what is left to pay and to return is read in pages, without what was paid before and without scans', async () => {
  await using service = await apiService();
  const { db } = service;
  const vaultId = await plannedVault(service);
  using recorded = recordStatements();
  const toPay: DepositRow[] = [];
  const pages: number[] = [];
  for await (const page of depositsToPay(db, vaultId)) {
    pages.push(page.length);
    toPay.push(...page);
  }
  const firstPage = recorded.statements()[0] ?? { text: '', values: [] };
  expect(walletsOf(toPay)).toEqual(numbers((n) => n % 10 !== 0));
  expect(pages).toEqual([80, 80, 80, 30]);
  const toReturn = [];
  for await (const page of depositsToReturn(db, vaultId, true)) toReturn.push(...walletsOf(page));
  expect(toReturn).toEqual(numbers((n) => n % 10 === 0));
  expect(await mostRows(service, firstPage)).toBeLessThan(100);

  expect(await isAnyUnpaid(db, vaultId)).toBe(true);
  expect([...(await entitlementsOfDeposits(db, vaultId, toPay.slice(0, 1).map(refOf))).values()]).toMatchObject([
    { ft: 901n },
  ]);
  expect(await reclaimedShares(db, vaultId)).toEqual({ lovelace: 0n, ft: 0n });
  expect(await reclaimedInvestments(db, vaultId)).toBe(0n);
  expect(await owedDeliveries(db, randomUUID())).toEqual([]);
  expect(await reclaimedDeposits(db, vaultId, { after: randomUUID(), limit: 5 })).toEqual([]);
  expect(await openBatches(db, vaultId, 'deliver')).toEqual([]);
  expect(await lastSettlementOutput(db, { id: vaultId, ftUnit: 'token' })).toMatchObject({ kind: 'deliver' });
  const whole = recorded.statements().filter(({ text }) => !text.startsWith('explain'));
  expect(await scansOf(service.sql, whole)).toEqual([]);
  expect(await depositsInQuarantine(db, vaultId)).toEqual(new Set());

  await service.sql.run`update investments set status = 'EXPIRED', release_reason = 'expired'
      where vault_id = ${vaultId} and wallet = 'w999'`;
  const unreadable: string[] = [];
  for await (const page of depositsToPay(db, vaultId))
    decodeRows(page, readDeposit, (error) => unreadable.push(String(error)));
  expect(unreadable).toEqual([expect.stringMatching('it is not in the vault')]);
});

test('the settlement continues from the last of its transactions, whichever was built later, and leaves a second mint out', async () => {
  await using service = await apiService();
  const vaultId = await newVault(service);
  const add = async (kind: string, hash: string, spends: string, state = 'final') => {
    const id = randomUUID();
    const output = { txHash: hash, index: 0, address: 'a', lovelace: '1', assets: { [`token of ${hash}`]: '1' } };
    await service.sql.run`insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, hash,
         unsigned_cbor, inputs, outputs,
         required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
       values (${id}, ${kind}, ${vaultId}, 'test', 'platform', ${hash}, '', '[]', ${JSON.stringify([output])}, '{}', 0, 0, now(), ${state}, clock_timestamp(), now())`;
    if (state !== 'expired')
      await service.sql.run`insert into utxo_leases (tx_hash, output_index, transaction_id)
          values (${spends}, 0, ${id})`;
  };
  const last = async () =>
    (await lastSettlementOutput(service.db, { id: vaultId, ftUnit: 'token of mint' }))?.output.txHash;
  expect(await last()).toBeUndefined();
  await add('mint', 'mint', 'operator');
  await add('mint', 'second', 'other operator', 'submitted');
  expect(await last()).toBe('mint');
  await add('deliver', 'last', 'first');
  await add('deliver', 'first', 'mint');
  await add('deliver', 'given up', 'last', 'expired');
  expect(await last()).toBe('last');
});

test('a check of reclaimed deposits continues where it was, and begins again after a rollback', async () => {
  await using service = await apiService();
  const { db } = service;
  const vaultId = await newVault(service);
  const inTransaction = <Result>(work: (tx: Parameters<typeof saveReclaimCheck>[0]) => Promise<Result>) =>
    db.transaction().execute(work);
  const isComplete = async () => (await readReclaimCheck(db, vaultId))?.after === null;
  const addBlock = (height: number, hash: string) =>
    service.sql.query('insert into blocks (height, hash, slot, made_at) values ($1, $2, $1, now())', [height, hash]);
  const save = async (after: string | null) => {
    const check = await readReclaimCheck(db, vaultId);
    if (check) await inTransaction((tx) => saveReclaimCheck(tx, vaultId, { ...check, after }));
  };
  expect(await readReclaimCheck(db, vaultId)).toBeNull();
  await addBlock(1, 'b1');
  const half = randomUUID();
  await save(half);
  expect(await readReclaimCheck(db, vaultId)).toEqual({ after: half, block: { height: 1, hash: 'b1' } });
  await save(null);
  await addBlock(2, 'b2');
  expect(await isComplete()).toBe(true);

  // A reclaim that was found in block 2 is covered from then on: when that block is gone, it is checked.
  await inTransaction((tx) => extendReclaimCheck(tx, vaultId, { height: 2, hash: 'b2' }));
  expect(await isComplete()).toBe(true);
  await service.sql.run`delete from blocks where height = 2`;
  expect(await isComplete()).toBe(false);
  await save(null);
  await inTransaction((tx) => extendReclaimCheck(tx, vaultId, { height: 2, hash: 'b2' }));
  expect(await isComplete()).toBe(false);
});
