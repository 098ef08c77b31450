import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import { until } from '../stack/until.ts';
import { holdings, person } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { assetOf, openedPot, readEnd, readStatus } from './ending-vault.ts';
import { settledVault } from './settled-vault.ts';

const DAY = 86_400;

const stackOfFile = fileStack();

test('a vault ends when its creator said and pays whom they named, and another one when its assets have lost half of their value', async () => {
  const stack = stackOfFile();
  const heir = person(433);
  const termination = {
    type: 'PROGRAMMED',
    duration: '06:00:00',
    remaining_assets_to: heir.address,
    unclaimed_lovelace_to: heir.address,
    claim_duration: '07:00:00',
  };
  const programmed = await settledVault(
    stack,
    { contributor: person(431), investor: person(432) },
    { nft: 'Cabin', vault: { termination } },
  );
  const falling = await settledVault(
    stack,
    { contributor: person(434), investor: person(435) },
    { nft: 'Hut', vault: { termination: { type: 'DAO', fdp: 50 } } },
  );
  expect(await readEnd(stack, programmed.id)).toMatchObject({
    status: 'LOCKED',
    unclaimedAdaTo: heir.address,
    steps: [],
  });

  const hut = await assetOf(stack, falling.id);
  const reasonOf = async (vaultId: string) => (await readStatus(stack, vaultId))?.because;
  await stack.ledger.setPrice({ policyId: hut.policyId, assetNameHex: hut.nameHex, lovelace: '250000000' });
  for (const reason of [null, null, 'floor_price_deviation']) {
    await advance(stack, 3_600);
    expect(await reasonOf(falling.id)).toBe(reason);
  }

  await advance(stack, 7 * DAY);
  expect(await reasonOf(programmed.id)).toBe('programmed_end');
  const { pot } = await openedPot(stack, programmed.id);
  await advance(stack, 8 * DAY);
  await until(async () => (await readEnd(stack, programmed.id)).status === 'TERMINATED', { what: 'the end' });
  const cabin = await assetOf(stack, programmed.id);
  const left = await holdings(stack, heir.address);
  expect(left.get(cabin.policyId + cabin.nameHex)).toBe(1n);
  expect(left.get('lovelace')).toBeGreaterThan(pot);
}, 400_000);
