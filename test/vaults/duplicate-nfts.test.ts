import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import { until } from '../stack/until.ts';
import { contribute, fundWallet, holdings, person, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { createVault, waitForVaultStatus } from '../vault-lifecycle/vault-requests.ts';
import { listUnsolicited, scanUnsolicited, waitUntilDeep } from './unsolicited-scan.ts';

const stackOfFile = fileStack();

test('a later deposit of an NFT goes back to its owner by itself, one a scan', async () => {
  const stack = stackOfFile();
  const owner = person(191);
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 200, assets: { Dawn: 1, Dusk: 1 } });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  for (const name of ['Dawn', 'Dusk']) {
    const { hash } = await contribute(stack, vaultId, owner, { policyId, name });
    await waitForTransaction(stack, hash, ['final']);
    await waitUntilDeep(stack, hash);
  }
  const coinBefore = (await holdings(stack, owner.address)).get('lovelace') ?? 0n;
  // The first deposits of both came in elsewhere: a vault counts neither of these (design D42).
  await stack.sql.query(
    `update assets set status = 'RELEASED', release_reason = 'duplicate', released_at = now() where vault_id = $1`,
    [vaultId],
  );

  const statuses = async () => (await listUnsolicited(stack, vaultId)).map(({ status }) => status).sort();
  const held = async () => [...(await holdings(stack, owner.address)).keys()].filter((unit) => unit !== 'lovelace');
  await scanUnsolicited(stack);
  expect(await statuses()).not.toEqual(['PRESENT', 'PRESENT']);
  await until(async () => (await held()).length === 1, { what: 'one of them to be back' });
  await until(async () => (await statuses()).includes('RETURNED'), { what: 'its return to be recorded' });
  expect(await statuses()).toEqual(['PRESENT', 'RETURNED']);

  await scanUnsolicited(stack);
  await until(async () => (await held()).length === 2, { what: 'the other one to be back' });
  const gained = ((await holdings(stack, owner.address)).get('lovelace') ?? 0n) - coinBefore;
  // The delivery deposits come back with them, less the fees.
  expect(gained).toBeGreaterThan(1_000_000n);
  await scanUnsolicited(stack);
  await until(async () => (await statuses()).every((status) => status === 'RETURNED'), { what: 'both to be recorded' });
});
