import { afterEach, expect, test } from '@jest/globals';
import { followedHeight } from '../stack/followed-height.ts';
import { fileStack } from '../stack/file-stack.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { mineUntil } from './mine-until.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { advance, createVault, readVault, waitForVaultStatus } from './vault-requests.ts';

/** `LEDGER_SEEDS=100 npm run unit -- test/vault-lifecycle/lying-ledger` runs more of them, `LEDGER_SEED=7` one. */
const seeds =
  process.env['LEDGER_SEED'] === undefined
    ? Array.from({ length: Number(process.env['LEDGER_SEEDS'] ?? 10) }, (_, position) => position + 1)
    : [Number(process.env['LEDGER_SEED'])];
const DISHONEST = 0.12;
const stackOfFile = fileStack({ blockMs: 0, lyingLedger: true });
afterEach(() => {
  stackOfFile().liar.beHonest();
});
/** Each has a seed of its own. */
const VAULTS_AT_ONCE = 10;

async function statesOf({ sql }: TestStack, hash: string): Promise<string[]> {
  const rows = await sql.run<{ state: string }>`select h.state
      from chain_transaction_history h join chain_transactions t on t.id = h.transaction_id
      where t.hash = ${hash} order by h.position`;
  return rows.map(({ state }) => state);
}

/** The height of the tip, once the follower has recorded it. */
async function heightAtTip(stack: TestStack): Promise<number> {
  const tip = await stack.ledger.query<{ height: number }>('/blocks/latest');
  const height = Number(tip?.height);
  await until(async () => (await followedHeight(stack)) === height, { what: `block ${height} to be followed` });
  return height;
}

async function activeVault(stack: TestStack, number: number, name: string) {
  const owner = person(number);
  const vaultId = await createVault(stack, owner.address);
  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 300, assets: { [name]: 1 } }));
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  return { owner, vaultId, policyId };
}

test('a backend that does not know the tip yet has rolled nothing back', async () => {
  const stack = stackOfFile();
  const { owner, vaultId, policyId } = await activeVault(stack, 111, 'Fern');
  const { hash } = await contribute(stack, vaultId, owner, { policyId, name: 'Fern' });
  await mineUntil(stack, waitForTransaction(stack, hash, ['confirmed', 'final']));

  const tip = await stack.ledger.query<{ hash: string }>('/blocks/latest');
  let lies = 0;
  stack.liar.lie(({ path }) => {
    if (tip === null || !path.includes(tip.hash)) return 'honest';
    lies += 1;
    return 'lie';
  });
  await until(() => lies > 5, { what: 'the follower to ask several times' });
  stack.liar.beHonest();
  const before = await followedHeight(stack);
  await stack.ledger.mine(4);
  await until(async () => (await followedHeight(stack)) >= before + 4, { what: 'the follower to go on' });
  await waitForTransaction(stack, hash, ['final']);
  expect((await statesOf(stack, hash)).filter((state) => state === 'confirmed')).toHaveLength(1);
});

test('a block whose transactions a backend does not know yet is not empty', async () => {
  const stack = stackOfFile();
  const { owner, vaultId, policyId } = await activeVault(stack, 112, 'Moss');
  const { hash } = await contribute(stack, vaultId, owner, { policyId, name: 'Moss' });
  await until(async () => (await stack.ledger.mempoolSize()) === 1, { what: 'the deposit to be sent' });
  const before = await heightAtTip(stack);
  let lies = 0;
  stack.liar.lie(({ path }) => {
    if (!/\/blocks\/[0-9a-f]{64}\/txs/.test(path)) return 'honest';
    lies += 1;
    return 'lie';
  });
  await stack.ledger.mine(1);
  await until(() => lies > 2, { what: 'the follower to ask several times' });
  expect(await followedHeight(stack)).toBe(before);

  stack.liar.beHonest();
  await waitForTransaction(stack, hash, ['confirmed', 'final']);
});

test('a deposit that is confirmed after it was given up counts once', async () => {
  const stack = stackOfFile();
  const { owner, vaultId, policyId } = await activeVault(stack, 113, 'Reed');
  const given = await contribute(stack, vaultId, owner, { policyId, name: 'Reed' });
  await until(async () => (await stack.ledger.mempoolSize()) === 1, { what: 'the deposit to be sent' });
  await waitForTransaction(stack, given.hash, ['submitted']);
  await stack.sql.run`update chain_transactions set state = 'expired' where hash = ${given.hash}`;
  await stack.sql.run`update assets set status = 'RELEASED', release_reason = 'expired' where id = ${given.assetId}`;
  await stack.sql.run`update vaults set counted_assets = 0 where id = ${vaultId}`;

  await mineUntil(stack, waitForTransaction(stack, given.hash, ['final']));
  const rows = await stack.sql.run`select a.status, v.counted_assets as counted
      from assets a join vaults v on v.id = a.vault_id where a.id = ${given.assetId}`;
  expect(rows).toEqual([{ status: 'LOCKED', counted: 1 }]);
});

/** Repeats a request of a client until the ledger behind the service lets it succeed. */
async function insist<Result>(what: string, request: () => Promise<Result>): Promise<Result> {
  let last: unknown = null;
  const succeeded = async () => {
    try {
      return { result: await request() };
    } catch (error) {
      last = error;
      return null;
    }
  };
  try {
    return (await until(succeeded, { what })).result;
  } catch (cause) {
    throw new Error(`${String(cause)}: ${String(last)}`, { cause });
  }
}

/** What is left of a vault: statuses, shares, and what the ledger has of its tokens. */
async function endOf(stack: TestStack, vaultId: string, wallets: readonly string[]) {
  const vault = await readVault(stack, vaultId);
  const plan = await stack.sql.run<{ ft: string; lovelace: string }>`select ft, lovelace from entitlements
      where vault_id = ${vaultId} order by position`;
  const confirmed = await stack.sql.run<{ kind: string }>`select kind from chain_transactions
      where vault_id = ${vaultId} and state in ('confirmed', 'final')
      and kind not in ('fan_out', 'anchor') order by kind`;
  const token = vault.fractionalization.tokenAddress;
  const supply = await stack.ledger.query<{ quantity: string; mint_or_burn_count?: number }>(`/assets/${token}`);
  const tokens = await Promise.all(wallets.map(async (wallet) => (await holdings(stack, wallet)).get(token) ?? 0n));
  return { status: vault.status, plan, confirmed, supply: supply?.quantity, tokens, holds: vault.holds };
}

interface Lived {
  readonly vaultId: string;
  readonly wallets: readonly string[];
}

/** One vault from its creation until its deposits are on the ledger. */
async function fillVault(stack: TestStack, seed: number): Promise<Lived> {
  const [owner, investor] = [person(200 + 2 * seed), person(201 + 2 * seed)];
  const name = `Tower${seed}`;
  const [policyId] = await Promise.all([
    fundWallet(stack, owner, { ada: 300, assets: { [name]: 1 } }),
    fundWallet(stack, investor, { ada: 1000 }),
  ]);
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  const vaultId = await insist('the vault to be created', () =>
    createVault(stack, owner.address, {
      asset: { asset_window_duration: '01:00:00' },
      investment: { investment_window_duration: '24h' },
    }),
  );
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const given = await insist('the asset to be accepted', () => contribute(stack, vaultId, owner, { policyId, name }));
  const invested = await insist('the investment to be accepted', () => invest(stack, vaultId, investor, 300_000_000));
  for (const { hash } of [given, invested]) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  return { vaultId, wallets: [owner.address, investor.address] };
}

/** Vaults from their creation to their settlement, with a rollback on the way. */
async function liveVaults(stack: TestStack, numbers: readonly number[]) {
  const lived = await Promise.all(numbers.map((number) => fillVault(stack, number)));
  await stack.ledger.rollback(2);
  await insist('the clock to move', () => advance(stack, 25 * 3600));
  await Promise.all(lived.map(({ vaultId }) => waitForVaultStatus(stack, vaultId, 'LOCKED')));
  return Promise.all(lived.map(({ vaultId, wallets }) => endOf(stack, vaultId, wallets)));
}

test('vaults end the same however the ledger in front drops, delays, reorders, repeats and lies', async () => {
  await using stack = await testStack({ lyingLedger: true });
  const [expected] = await liveVaults(stack, [0]);
  expect(expected).toMatchObject({ status: 'LOCKED', holds: [] });
  for (let first = 0; first < seeds.length; first += VAULTS_AT_ONCE) {
    const round = seeds.slice(first, first + VAULTS_AT_ONCE);
    stack.liar.lieAtRandom(round, DISHONEST);
    const ends = await liveVaults(stack, round);
    stack.liar.beHonest();
    expect({ round, ends }).toEqual({ round, ends: round.map(() => expected) });
  }
  expect(await stack.sql.run`select 1 from quarantine`).toEqual([]);
  for (const treatment of ['delay', 'drop', 'drop after', 'lie', 'repeat'] as const)
    expect(stack.liar.counts().get(treatment)).toBeGreaterThan(0);
});
