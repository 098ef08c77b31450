import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { instant, wallClock } from '../../src/platform/units/time.ts';
import { baseUnits, lovelace } from '../../src/platform/units/money.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { transactionOutputs, transactionsById } from '../../src/transactions/queries/transactions.ts';
import { apiKeysById } from '../../src/access/queries/api-keys.ts';
import { lockAssetRows } from '../../src/assets/queries/assets.ts';
import { lockStakes } from '../../src/staking/queries/stakes.ts';
import {
  contributorEntitlements,
  entitlementsOfDeposits,
  storePlan,
  storeRevision,
} from '../../src/settlement/queries/settlements.ts';
import { heldAt } from '../../src/ledger-follower/record-blocks.ts';
import { excludeLeased } from '../../src/transactions/queries/utxo-leases.ts';
import { markPresent, outputsWithoutSpender, recordedRefs } from '../../src/ledger-follower/queries/unsolicited.ts';
import { fakeLedger } from '../chain/fake-ledger.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { addRows, middleOf } from './listed-rows.ts';
import { recordStatements, type Statement } from './recorded-statements.ts';
import { rowsRead } from './rows-read.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

const MANY = 70_000;
const CLAIMS = 20_000;
/** More than is read of an address at first. */
const DUST = 5_100;
const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });

test('a vault with more deposits than a statement has parameters is planned and revised', async () => {
  await using service = await apiService();
  const vaultId = await createVault(service, newWallet().address);
  const share = (position: number) => ({ id: randomUUID(), wallet: 'addr', ft: baseUnits(BigInt(position)) });
  const investors = Array.from({ length: MANY - 1 }, (_, position) => share(position));
  const contributor = { ...share(MANY), wallet: newWallet().address, lovelace: lovelace(7n) };
  const [value, none, units] = [lovelace(1n), lovelace(0n), baseUnits(0n)];
  const plan = {
    kind: 'settles' as const,
    ...{ value, invested: none, reserveRequired: none, reserveMet: true, fdv: none, lpLovelace: none, lpFt: units },
    ...{ investorsFt: units, contributorsFt: units, contributorsLovelace: none },
    investors,
    contributors: [contributor],
    returned: [],
  };
  const revision = { invested: none, lpLovelace: none, contributorsLovelace: none };
  const revised = [{ id: contributor.id, lovelace: lovelace(5n) }];
  await service.db.transaction().execute(async (tx) => {
    const context = { tx, ids, now: instant(wallClock.now()) };
    await storePlan(context, vaultId, plan);
    await storeRevision(context, vaultId, { ...revision, contributors: revised });
  });

  const read = await service.api.get(`/vaults/${vaultId}`);
  expect(JSON.stringify(read.body).length).toBeLessThan(10_000);
  expect(read).toMatchObject({ body: { data: { settlement: { entitlementCount: MANY } } } });
  const path = `/vaults/${vaultId}/entitlements`;
  expect(await service.api.get(`${path}?walletAddress=${contributor.wallet}`)).toMatchObject({
    body: { data: { entitlements: [{ depositId: contributor.id, lovelaceOwed: '5' }] } },
  });
  expect(await service.api.get(`${path}?limit=1`)).toMatchObject({
    body: {
      data: { entitlements: [{ depositId: investors[0]?.id, ftBaseUnits: '0' }] },
      metadata: { pagination: { total: 10_000, totalIsMinimum: true } },
    },
  });
  const some = [12_345, 0].map((position) => ({
    depositId: investors[position]?.id ?? '',
    depositKind: 'investment' as const,
  }));
  const found = await entitlementsOfDeposits(service.db, vaultId, some);
  expect([...found.values()].map(({ ft }) => ft).sort()).toEqual([0n, 12_345n]);
  const contributors = await service.db.transaction().execute((tx) => contributorEntitlements(tx, vaultId));
  expect(contributors).toMatchObject([{ depositKind: 'asset', lovelace: 7n, owed: 5n }]);
});

test('more outputs and transactions than a statement has parameters can be looked up', async () => {
  await using service = await apiService();
  const outputs = Array.from({ length: MANY }, (_, index) => ({ txHash: index.toString(16).padStart(64, '0'), index }));
  expect(await excludeLeased(service.db, outputs)).toHaveLength(MANY);
  const unknown = outputs.map(() => randomUUID());
  expect((await transactionsById(service.db, unknown)).size).toBe(0);
  expect((await transactionOutputs(service.db, unknown)).size).toBe(0);
  expect((await apiKeysById(service.db, unknown)).size).toBe(0);
  const locked = await service.db
    .transaction()
    .execute(async (tx) => [await lockAssetRows(tx, unknown), await lockStakes(tx, unknown)]);
  expect(locked).toEqual([[], []]);
});

/** Records a chain of claims: each spends the output at an address that the one before made, and only the last one is left. */
async function recordClaims({ sql }: Pick<ApiService, 'sql'>, vaultId: string, address: string) {
  const { rows } = await sql.query<{ hash: string }>(
    `insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, hash, unsigned_cbor, inputs, outputs,
       required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
     select gen_random_uuid(), 'claim', $1, 'test', 'wallet', lpad(to_hex(n), 64, '0'), '',
       jsonb_build_array(jsonb_build_object('txHash', lpad(to_hex(n - 1), 64, '0'), 'index', 0, 'address', $2::text)),
       jsonb_build_array(jsonb_build_object('index', 0, 'address', $2::text), jsonb_build_object('index', 1, 'address', 'holder')),
       '{}', 0, 0, now(), 'final', now(), now() from generate_series(1, $3::int) as n returning hash`,
    [vaultId, address, CLAIMS],
  );
  return rows.at(-1)?.hash ?? '';
}

test('what lies at an address is read past the dust of strangers, and what must be there and is not is waited for', async () => {
  await using service = await apiService();
  const vaultId = await createVault(service, newWallet().address);
  const address = newWallet().address;
  const own = await recordClaims(service, vaultId, address);
  const amount = [{ unit: 'lovelace', quantity: '1000000' }];
  const output = (txHash: string) => ({ address, tx_hash: txHash, output_index: 0, amount });
  const dust = Array.from({ length: DUST }, (_, index) => output((index + MANY).toString(16).padStart(64, 'f')));
  const ledgerOf = (utxos: typeof dust) =>
    fakeLedger((_path, query) => utxos.slice(100 * (Number(query.get('page')) - 1), 100 * Number(query.get('page'))));

  const dusty = ledgerOf([...dust, output(own), ...dust]);
  const held = await heldAt({ db: service.db, ledger: dusty.ledger }, vaultId, address);
  expect(held.filter(({ txHash }) => txHash === own)).toHaveLength(1);
  expect(dusty.asked.length).toBe(DUST / 100 + 1);
  for (const { ledger } of [ledgerOf(dust), fakeLedger(() => null)])
    await expect(heldAt({ db: service.db, ledger }, vaultId, address)).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
    });
});

const rare = newWallet().address;
/** Each list with its sorts and filters, some of which one row in a hundred matches. */
const lists = {
  vaults: {
    sorts: ['createdAt', 'updatedAt', 'name', 'status'],
    filters: ['status=LOCKED', 'status=ACTIVE', 'type=PUBLIC', 'type=RARE', `createdBy=${rare}`],
  },
  transactions: {
    sorts: ['createdAt', 'updatedAt', 'status', 'kind'],
    filters: ['status=final', 'status=failed', 'kind=anchor', 'kind=refund', `wallet=${rare}`],
  },
} as const;
const LISTED = 30_000;
/** An exact total is counted so far, and a page is read from the rows of one in a hundred, or finds enough among a hundred times its limit. */
const COUNTED = 10_001;
const OF_A_PAGE = 2_100;
/** Of those that a stranger may see. */
const OF_SHOWN = 1_000;

test('a scan of one address reads what lies there, however much strangers have sent to others of the vault', async () => {
  await using service = await apiService();
  const vaultId = await createVault(service, newWallet().address);
  await service.sql.run`insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address, lovelace,
     assets, seen_at)
     select md5(n::text), 0, ${vaultId}, 'custody', case when n <= 3 then 'few' else 'dust ' || n % 7 end, 1000000, '[]', now()
     from generate_series(1, ${DUST}::int) as n`;
  await service.sql.run`analyze unsolicited_outputs`;
  const at = { vaultId, addresses: ['few'] };
  const now = instant(wallClock.now());
  using recorded = recordStatements();
  expect((await recordedRefs(service.db, at)).size).toBe(3);
  expect(await outputsWithoutSpender(service.db, at, now)).toHaveLength(3);
  await service.db.transaction().execute((tx) => markPresent({ tx, ids, now }, at, []));
  const statements = recorded.statements().filter(({ text }) => text.includes('unsolicited_outputs'));
  expect(statements).toHaveLength(3);
  for (const statement of statements) expect(await rowsRead(service.sql, statement)).toBeLessThan(10);
});

test('a page of all vaults or all transactions reads few rows, by every sort and filter, and after every page', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const session = await logIn(service, signingWallet());
  for (let made = 0; made < 2; made++) await api.post('/vaults', vaultBody(newWallet().address));
  using recorded = recordStatements();
  const requests = Object.entries(lists).flatMap(([list, { sorts, filters }]) =>
    sorts.flatMap((sort) => {
      const key = Buffer.from(JSON.stringify(middleOf(list as keyof typeof lists, LISTED)[sort])).toString('base64url');
      return ['asc', 'desc'].flatMap((direction) =>
        ['', `after=${key}`, ...filters].map((rest) => `/${list}?sort=${sort}:${direction}&${rest}`),
      );
    }),
  );
  const statements: { path: string; caller: object; statement: Statement }[] = [];
  for (const path of requests) {
    for (const caller of [{}, session]) {
      const { status, headers } = await api.get(path, caller);
      expect({ path, status }).toEqual({ path, status: 200 });
      const sent = recorded.statements(headers.get('x-correlation-id') ?? '');
      statements.push({ path, caller, statement: sent.find(({ text }) => text.includes('page_total'))! });
    }
  }

  await addRows(sql, LISTED, rare);
  /** The requests that read more rows than this, and those that a caller looks up. */
  async function readingMore(limit: number, of: typeof statements) {
    const many = [];
    for (const { path, caller, statement } of of) {
      const rows = await rowsRead(sql, statement);
      if (rows > limit) many.push({ path, isStranger: caller === session, rows });
    }
    return many;
  }
  expect(await readingMore(COUNTED + OF_A_PAGE, statements)).toEqual([]);

  // All but one in a hundred are for those who take part in them.
  await sql.run`update vaults set type = 'PRIVATE'
      where name !~ '(07|000)$'; analyze vaults; analyze chain_transactions`;
  const ofStranger = statements.filter(({ caller }) => caller === session);
  expect(await readingMore(OF_SHOWN, ofStranger)).toEqual([]);
});
