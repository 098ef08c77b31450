import { expect, test } from '@jest/globals';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { killWorkerAt, moments, timesOnLedger } from './assassin.ts';
import { contribute, furnish, holdings, invest, person, reaches } from './people.ts';
import { advance, becomes, createVault } from './vaults.ts';

const WEEK = 7 * 86_400;
/** Keeps a transaction between recorded and answered long enough to be hit. */
const delay = { delayMs: 400 };

async function expectEachOnce(stack: TestStack, vaultId: string): Promise<void> {
  expect(new Set((await timesOnLedger(stack, vaultId)).values())).toEqual(new Set([1]));
}

test.each(moments)(
  'a worker killed %s: creation, asset and investment land once',
  async (moment) => {
    await using stack = await testStack({ blockMs: 500 });
    const [owner, investor] = [person(31), person(32)];
    const policyId = await furnish(stack, owner, { ada: 100, assets: { Villa: 1 } });
    await furnish(stack, investor, { ada: 1000 });

    await stack.ledger.faults(delay);
    const vaultId = await createVault(stack, owner.address);
    await killWorkerAt(stack, vaultId, 'create_vault', moment);
    await becomes(stack, vaultId, 'ACTIVE');
    const asset = await contribute(stack, vaultId, owner, { policyId, name: 'Villa' });
    await killWorkerAt(stack, vaultId, 'add_asset', moment);
    await reaches(stack, asset.hash, ['confirmed', 'final']);
    const investment = await invest(stack, vaultId, investor, 100_000_000);
    await killWorkerAt(stack, vaultId, 'invest', moment);
    await reaches(stack, investment.hash, ['final']);

    await stack.ledger.faults({});
    await expectEachOnce(stack, vaultId);
    const { rows } = await stack.sql.query<{ counted: number }>('select counted_assets as counted from vaults');
    expect(rows).toEqual([{ counted: 1 }]);
  },
  180_000,
);

test.each(moments)(
  'a worker killed %s: the settlement ends as its plan says',
  async (moment) => {
    await using stack = await testStack({ blockMs: 500 });
    const [owner, investor] = [person(33), person(34)];
    const vaultId = await createVault(stack, owner.address);
    const policyId = await furnish(stack, owner, { ada: 100, assets: { Villa: 1 } });
    await furnish(stack, investor, { ada: 1000 });
    await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
    const asset = await contribute(stack, vaultId, owner, { policyId, name: 'Villa' });
    const investment = await invest(stack, vaultId, investor, 300_000_000);
    for (const { hash } of [asset, investment]) await reaches(stack, hash, ['final']);

    const killings = (async () => {
      for (const kind of ['mint', 'deliver', 'liquidity']) {
        await killWorkerAt(stack, vaultId, kind, moment);
      }
    })();
    // The last seconds pass by themselves: the delay has to be there before the settlement begins, however busy the machine is.
    await advance(stack, WEEK - 10);
    await stack.ledger.faults(delay);
    await killings;
    await stack.ledger.faults({});
    await becomes(stack, vaultId, 'LOCKED', 120_000);

    await expectEachOnce(stack, vaultId);
    const { rows: plan } = await stack.sql.query<{ wallet: string; ft: string; unit: string }>(
      'select e.wallet, e.ft, v.ft_unit as unit from entitlements e join vaults v on v.id = e.vault_id',
    );
    expect(plan).toHaveLength(2);
    for (const { wallet, ft, unit } of plan) expect((await holdings(stack, wallet)).get(unit)).toBe(BigInt(ft));
  },
  240_000,
);
