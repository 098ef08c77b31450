import { expect, test } from '@jest/globals';
import { fundedDevWallet, signAndSend } from '../dev/dev-wallet.ts';
import { requestAddAsset } from '../vault-lifecycle/participants.ts';
import { waitForVaultStatus, createVault, readVault } from '../vault-lifecycle/vault-requests.ts';
import { until } from '../stack/until.ts';
import { clientsOf, dataFolder, npmStart } from './npm-start.ts';

const minutes = { min: 60, max: 604_800 };
const environment = { DURATION_BOUNDS: JSON.stringify({ assetWindow: minutes, investmentWindow: minutes }) };

test('a deadline that passed while everything was down is handled at the next start, and other vaults continue', async () => {
  await using folder = await dataFolder();
  const first = npmStart(folder.path, environment);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => first.stop().then(() => undefined));
  const stack = clientsOf(await first.ready());
  const owner = await fundedDevWallet(stack, 100, { Mill: 1 });
  // Both windows of the first and the asset window of the second vault end a minute and a half from now.
  const begun = new Date(Date.now() - 30_000).toISOString();
  const asset = { asset_window_start_time: begun, asset_window_duration: '00:00:02' };
  const investment = { investment_start_time: begun, investment_window_duration: '00:00:02' };
  const empty = await createVault(stack, owner.address, { asset, investment });
  const furnished = await createVault(stack, owner.address, { asset });
  const { assetWindow } = await readVault(stack, furnished);
  const answer = await until(
    async () => {
      const { status, body } = await requestAddAsset(stack, furnished, owner, {
        policyId: owner.policyId,
        name: 'Mill',
      });
      return status === 201 ? body : null;
    },
    { what: 'the asset to be accepted' },
  );
  await signAndSend(stack, owner, answer.transaction);
  await until(async () => (await assetStatus(stack, furnished)) === 'LOCKED', { what: 'the asset to be LOCKED' });
  await waitForVaultStatus(stack, empty, 'ACTIVE');

  await first.stop();
  const end = Date.parse(assetWindow.endTime);
  expect(Date.now()).toBeLessThan(end);
  await until(() => Date.now() > end, { what: 'the end of the windows', deadlineMs: 100_000 });
  const second = npmStart(folder.path, environment);
  cleanup.defer(() => second.stop().then(() => undefined));
  const again = clientsOf(await second.ready());

  const ended = await waitForVaultStatus(again, empty, 'TERMINATED');
  expect(ended.termination.reason).toBe('no_assets');
  const going = await until(
    async () => {
      const vault = await readVault(again, furnished);
      return vault.assetWindow.status === 'COMPLETED' ? vault : null;
    },
    { what: 'the asset window to be closed' },
  );
  expect(going).toMatchObject({ status: 'ACTIVE', investmentWindow: { status: 'ACTIVE' } });
  expect(await assetStatus(again, furnished)).toBe('LOCKED');
});

async function assetStatus({ api }: ReturnType<typeof clientsOf>, vaultId: string): Promise<string | undefined> {
  const { body } = await api.get<{ data: { assets: { status: string }[] } }>(`/vaults/${vaultId}/assets`);
  return body.data.assets[0]?.status;
}
