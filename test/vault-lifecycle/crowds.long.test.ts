import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { checkPayments } from './check-payments.ts';
import { crowdedVault } from './crowded-vault.ts';
import { mineUntil } from './mine-until.ts';
import { holdings, person, waitForTransaction } from './participants.ts';
import { passDeadline } from './pass-deadline.ts';
import { reclaimDeposit } from './reclaim-outputs.ts';
import { rollBackFrom } from './roll-back-transactions.ts';
import { readVault, waitForVaultStatus } from './vault-requests.ts';

interface Delivery {
  readonly hash: string;
  readonly state: string;
}

async function deliveries({ sql }: TestStack, vaultId: string): Promise<Delivery[]> {
  const rows = await sql.run<Delivery>`select hash, state from chain_transactions
      where vault_id = ${vaultId} and kind = 'deliver' order by created_at, id`;
  return rows;
}

/** Waits until so many deliveries are sent and in no block. */
async function waitForDeliveriesInFlight(stack: TestStack, vaultId: string, count: number): Promise<Delivery[]> {
  const inFlight = async () => (await deliveries(stack, vaultId)).filter(({ state }) => state === 'submitted');
  return until(async () => ((await inFlight()).length >= count ? inFlight() : null), {
    what: `${count} deliveries to be in flight`,
  });
}

/** Whether something is owed for a deposit that is in no delivery. */
async function isAnyUnpaid({ sql }: TestStack, vaultId: string): Promise<boolean> {
  const rows = await sql.run`select from entitlements e where vault_id = ${vaultId} and not exists (
       select from transaction_deposits d join chain_transactions t on t.id = d.transaction_id
       where d.deposit_id = e.deposit_id and t.kind = 'deliver' and t.state not in ('expired', 'failed')) limit 1`;
  return rows.length > 0;
}

const stackOfFile = fileStack({ blockMs: 0 });

test('deliveries in flight pay each investor once, though the worker is killed and those in the middle are rolled back', async () => {
  const stack = stackOfFile();
  const { vaultId, owner } = await crowdedVault(stack, 141, 480);
  await stack.ledger.mine();
  await waitForDeliveriesInFlight(stack, vaultId, 2);
  await stack.kill('worker');
  const first = (await deliveries(stack, vaultId)).filter(({ state }) => state === 'submitted').length;
  await stack.ledger.mine();
  await stack.restart('worker');
  await waitForDeliveriesInFlight(stack, vaultId, 1);
  const middle = await until(
    async () => {
      const isLast = !(await isAnyUnpaid(stack, vaultId));
      const found = (await deliveries(stack, vaultId)).slice(first);
      return (isLast || found.length >= 4) && found.every(({ state }) => state !== 'pending') ? found : null;
    },
    { what: 'several deliveries, or all that are left, to be in flight again' },
  );
  expect(middle.length).toBeLessThanOrEqual(6);
  await stack.ledger.mine();
  for (const { hash } of middle.slice(0, 4)) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  await rollBackFrom(stack, [middle[0]?.hash ?? '']);
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'LOCKED'));

  const sent = await deliveries(stack, vaultId);
  expect(sent.slice(0, first + 4).map(({ state }) => state)).not.toContain('failed');
  for (const { hash } of sent) expect(await stack.ledger.query(`/txs/${hash}`)).not.toBeNull();
  expect(await checkPayments(stack, vaultId, [owner.address])).toBe(481);
});

/** The deliveries that take the deposit of a wallet, or follow one that does. */
async function deliveriesFrom(stack: TestStack, vaultId: string, wallet: string): Promise<Delivery[]> {
  const rows = await stack.sql.run<{ hash: string }>`select t.hash
     from chain_transactions t join transaction_deposits d on d.transaction_id = t.id
     join investments i on i.id = d.deposit_id
     where t.vault_id = ${vaultId} and i.wallet = ${wallet} and t.kind = 'deliver' and t.state not in ('expired', 'failed')`;
  const all = await deliveries(stack, vaultId);
  return rows[0] ? all.slice(all.findIndex(({ hash }) => hash === rows[0]?.hash)) : [];
}

/** Mines until a delivery can be confirmed no more, and no block for what is sent instead of it. */
async function mineUntilGone(stack: TestStack, vaultId: string, hash: string): Promise<void> {
  const isGone = async () => {
    const found = (await deliveries(stack, vaultId)).find((delivery) => delivery.hash === hash);
    if (found?.state === 'expired' || found?.state === 'failed') return true;
    await stack.ledger.mine();
    return false;
  };
  await until(isGone, { what: 'a delivery that was sent before the deadline to expire' });
}

/** Of 270 investments, 78 to a delivery: the third delivery of four pays this one. */
const LEAVER = 190;

test('an owner who takes a deposit back from under deliveries in flight stops none of the others', async () => {
  const stack = stackOfFile();
  const leaver = person(144);
  const { vaultId, owner } = await crowdedVault(stack, 143, 270, { [LEAVER]: leaver.address });
  await stack.ledger.mine();
  const early = await waitForDeliveriesInFlight(stack, vaultId, 4);
  expect(await deliveriesFrom(stack, vaultId, leaver.address)).toHaveLength(2);
  await passDeadline(stack, vaultId);
  // What was sent before T can never be confirmed after it, and neither can what spends its outputs.
  await mineUntilGone(stack, vaultId, early.at(-1)?.hash ?? '');
  const taking = await until(
    async () => {
      const found = await deliveriesFrom(stack, vaultId, leaver.address);
      return found.length >= 2 && found.every(({ state }) => state === 'submitted') ? found : null;
    },
    { what: 'the deposit to be in a delivery in flight, and another one after it' },
  );
  const all = await deliveries(stack, vaultId);
  const others = all.slice(
    0,
    all.findIndex(({ hash }) => hash === taking[0]?.hash),
  );
  const before = others.filter(({ state }) => state === 'submitted');
  expect(before.length).toBeGreaterThanOrEqual(1);
  await stack.ledger.forgetMempool();
  await reclaimDeposit(stack, vaultId, leaver);
  const { fractionalization } = await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'LOCKED'));

  const states = new Map((await deliveries(stack, vaultId)).map(({ hash, state }) => [hash, state]));
  expect(taking.map(({ hash }) => states.get(hash))).toEqual(taking.map(() => 'failed'));
  for (const { hash } of before) expect(states.get(hash)).toMatch(/confirmed|final/);
  expect(await checkPayments(stack, vaultId, [owner.address])).toBe(270);
  const held = await holdings(stack, leaver.address);
  expect([...held.keys()]).toEqual(['lovelace']);
  expect(held.get('lovelace')).toBeGreaterThan(6_000_000n);
  expect(
    (await holdings(stack, (await readVault(stack, vaultId)).contractAddress)).get(fractionalization.tokenAddress),
  ).toBe(await entitlementOf(stack, vaultId, leaver.address));
});

async function entitlementOf({ sql }: TestStack, vaultId: string, wallet: string): Promise<bigint> {
  const rows = await sql.run<{ ft: string }>`select ft from entitlements
      where vault_id = ${vaultId} and wallet = ${wallet}`;
  return BigInt(rows[0]?.ft ?? -1);
}
