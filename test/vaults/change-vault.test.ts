import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readProof } from '../anchoring/anchor-proof.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { logIn } from './logged-in-wallet.ts';

interface Changed {
  readonly data: { readonly transaction: { readonly tx_hash: string; readonly proof: string } };
}
interface Cancelled {
  readonly data: { readonly transaction: { readonly hash: string; readonly proof: string } };
}

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const error = (status: number, code: string, ...fields: string[]) => ({
  status,
  body: { error: { code, ...(fields.length > 0 && { details: { errors: fields.map((field) => ({ field })) } }) } },
});

/** Creates a vault; returns its path. */
async function newVault(adminAddress: string, change: object = {}): Promise<string> {
  const made = await service.api.post<{ vault_id: string }>('/vaults', { ...vaultBody(adminAddress), ...change });
  return `/vaults/${made.body.vault_id}`;
}

const semiPrivate = { vault_type: 'semi-private', privacy_type: 'semi_private' };

test('a wallet may invest from the moment it is listed, and no longer once it is removed', async () => {
  const [admin, investor] = [signingWallet(), await service.fundedWallet()];
  const path = await newVault(admin.address, { ...semiPrivate, investor_whitelist: [newWallet().address] });
  const asAdmin = await logIn(service, admin);
  const invest = () =>
    service.api.post(`${path}/investments`, { walletAddress: investor.address, lovelace: 5_000_000 });
  const change = (operation: string) =>
    service.api.patch<Changed>(
      `${path}/allowlist`,
      { type: 'investor', operation, addresses: [investor.address] },
      asAdmin,
    );
  expect(await invest()).toMatchObject(error(400, 'INVESTOR_NOT_WHITELISTED'));
  const added = await change('ADD');
  expect(added).toMatchObject({
    status: 200,
    body: { status: 'success', data: { updatedAllowList: { type: 'INVESTOR', count: 2 } } },
  });
  expect(await invest()).toMatchObject({ status: 201 });
  expect(await change('REMOVE')).toMatchObject({ body: { data: { updatedAllowList: { count: 1 } } } });
  expect(await invest()).toMatchObject(error(400, 'INVESTOR_NOT_WHITELISTED'));
  // What was added before stays, and the list that was anchored can be proven.
  expect((await service.api.get(`${path}/investments?status=pending`)).body).toMatchObject({
    metadata: { pagination: { total: 1 } },
  });
  const { transaction } = added.body.data;
  const proof = await readProof(service, transaction.proof.split('/')[4]!);
  expect(proof.txHash).toBe(transaction.tx_hash);
  expect(JSON.parse(proof.fact)).toMatchObject({ kind: 'allow_list_changed', entries: [investor.address], count: 2 });
});

test('policies and contributors are listed the same way', async () => {
  const path = await newVault(newWallet().address, semiPrivate);
  const policy = 'AB'.repeat(28);
  const contributor = newWallet().address;
  const change = (type: string, ...addresses: string[]) =>
    service.api.patch(`${path}/allowlist`, { type, operation: 'add', addresses });
  expect(await change('ASSET', policy)).toMatchObject({ status: 200 });
  expect(await change('CONTRIBUTOR', contributor, contributor)).toMatchObject({
    body: { data: { updatedAllowList: { count: 1 } } },
  });
  expect((await service.api.get(path)).body).toMatchObject({
    data: { assetWhitelist: [policy.toLowerCase()], contributorWhitelist: [contributor] },
  });
  expect(await change('ASSET', policy, contributor)).toMatchObject(error(400, 'INVALID_REQUEST', 'addresses.1'));
  expect(await change('CONTRIBUTOR', policy)).toMatchObject(error(400, 'INVALID_REQUEST', 'addresses.0'));
  expect(await change('WALLET', policy)).toMatchObject(error(400, 'INVALID_REQUEST', 'type'));
});

test('a disabled investor list is kept but not applied', async () => {
  const [listed, stranger] = [newWallet(), await service.fundedWallet()];
  const path = await newVault(newWallet().address);
  const invest = () =>
    service.api.post(`${path}/investments`, { walletAddress: stranger.address, lovelace: 5_000_000 });
  const set = (investorAllowList: object) => service.api.patch<Changed>(path, { investorAllowList });
  expect(await set({ enabled: true, addresses: [listed.address] })).toMatchObject({
    status: 200,
    body: { data: { investorWhitelist: [listed.address], investorListEnabled: true } },
  });
  expect(await invest()).toMatchObject(error(400, 'INVESTOR_NOT_WHITELISTED'));
  expect(await set({ enabled: false })).toMatchObject({
    body: { data: { investorWhitelist: [listed.address], investorListEnabled: false } },
  });
  expect(await invest()).toMatchObject({ status: 201 });
});

test('the valuation type is fixed once the asset window is open, and wrong settings change nothing', async () => {
  const path = await newVault(newWallet().address);
  const patch = (body: object) => service.api.patch<Changed>(path, body);
  expect(await patch({ valuationType: 'FIXED' })).toMatchObject(error(400, 'SETTING_NOT_CHANGEABLE', 'valuationType'));
  const changed = await patch({ termination: { fdp: '12.50' } });
  expect(changed).toMatchObject({ status: 200, body: { data: { termination: { fdp: 12.5 } } } });
  const { transaction } = changed.body.data;
  const proof = await readProof(service, transaction.proof.split('/')[4]!);
  expect(proof.txHash).toBe(transaction.tx_hash);
  expect(JSON.parse(proof.fact)).toMatchObject({ kind: 'vault_settings_changed', fdp: '12.50' });
  expect(await patch({ termination: { fdp: '12.501' } })).toMatchObject(
    error(400, 'INVALID_REQUEST', 'termination.fdp'),
  );
  expect(await patch({ termination: { fdp: 101 } })).toMatchObject({ status: 400 });
  expect(await patch({})).toMatchObject({ status: 400 });
  expect(await patch({ valuationType: 'LBE', vault_name: 'Other' })).toMatchObject(
    error(400, 'INVALID_REQUEST', 'vault_name'),
  );
  expect((await service.api.get(path)).body).toMatchObject({
    data: { name: 'Harbour Loft', investmentWindow: { valuationType: 'LBE' }, termination: { fdp: 12.5 } },
  });

  const future = new Date(Date.now() + 86_400_000).toISOString();
  const { asset_settings: settings } = vaultBody('');
  const later = await newVault(newWallet().address, {
    asset_settings: { ...settings, asset_window_start_time: future },
  });
  expect(await service.api.patch(later, { valuationType: 'fixed' })).toMatchObject({
    body: { data: { investmentWindow: { valuationType: 'FIXED' } } },
  });
});

test('an admin cannot keep investors out or accept more policies once contributors have no time to leave', async () => {
  const [admin, friend, investor] = [newWallet(), newWallet(), await service.fundedWallet()];
  const { asset_settings: settings } = vaultBody('');
  const [policy, worthless] = ['ab'.repeat(28), 'cd'.repeat(28)];
  const asset_settings = { ...settings, asset_window_duration: '24h', policy_ids: [policy] };
  const change = { ...semiPrivate, asset_settings };
  const listed = await newVault(admin.address, { ...change, investor_whitelist: [investor.address] });
  const open = await newVault(admin.address, { asset_settings: change.asset_settings });
  await service.sql.run`update windows
      set starts_at = starts_at - interval '13 hours', ends_at = ends_at - interval '13 hours' where kind = 'asset'`;
  const fixed = (field: string) => error(400, 'SETTING_NOT_CHANGEABLE', field);
  const patch = (path: string, investorAllowList: object) => service.api.patch(path, { investorAllowList });
  const remove = { type: 'INVESTOR', operation: 'REMOVE', addresses: [investor.address] };
  expect(await service.api.patch(`${listed}/allowlist`, remove)).toMatchObject(fixed('addresses'));
  const accept = { type: 'ASSET', operation: 'ADD', addresses: [worthless] };
  expect(await service.api.patch(`${listed}/allowlist`, accept)).toMatchObject(fixed('addresses'));
  expect(await patch(listed, { addresses: [friend.address] })).toMatchObject(fixed('investorAllowList.addresses'));
  expect(await patch(open, { enabled: true })).toMatchObject(fixed('investorAllowList.enabled'));
  expect(await patch(open, { addresses: [friend.address] })).toMatchObject(fixed('investorAllowList.addresses'));
  expect(await patch(listed, { addresses: [investor.address, friend.address] })).toMatchObject({ status: 200 });
  expect(await patch(listed, { enabled: false })).toMatchObject({ status: 200 });
});

test('only the admin of a vault and keys that may change any vault change it, and an ended vault stays as it is', async () => {
  const [admin, other] = [signingWallet(), signingWallet()];
  const path = await newVault(admin.address);
  const hidden = await newVault(admin.address, { vault_type: 'private', privacy_type: 'private' });
  const [asAdmin, asOther] = [await logIn(service, admin), await logIn(service, other)];
  const body = { termination: { fdp: 1 } };
  expect(await service.api.patch(path, body, asOther)).toMatchObject(error(403, 'INSUFFICIENT_PERMISSIONS'));
  expect(await service.api.patch(hidden, body, asOther)).toMatchObject(error(404, 'VAULT_NOT_FOUND'));
  expect(await service.api.post(`${path}/cancel`, {}, asOther)).toMatchObject(error(403, 'INSUFFICIENT_PERMISSIONS'));
  expect(await service.api.patch(path, body, asAdmin)).toMatchObject({ status: 200 });
  const cancelled = await service.api.post<Cancelled>(`${path}/cancel`, {}, asAdmin);
  expect(cancelled).toMatchObject({ status: 200, body: { data: { phase: 'refund' } } });
  const { transaction } = cancelled.body.data;
  const proof = await readProof(service, transaction.proof.split('/')[4]!);
  expect({ hash: proof.txHash, fact: JSON.parse(proof.fact) as object }).toMatchObject({
    hash: transaction.hash,
    fact: { kind: 'vault_cancel_requested' },
  });
  expect(await service.api.patch(path, body, asAdmin)).toMatchObject(error(400, 'VAULT_ALREADY_ENDED'));
  const list = { type: 'INVESTOR', operation: 'ADD', addresses: [other.address] };
  expect(await service.api.patch(`${path}/allowlist`, list, asAdmin)).toMatchObject(error(400, 'VAULT_ALREADY_ENDED'));
  const rows = await service.sql.run<{ actor_type: string; n: number }>`select actor_type, count(*)::int as n
     from audit_log where action in ('VAULT_SETTINGS_CHANGED', 'VAULT_CANCEL_REQUESTED')
     and resource_id = ${path.split('/')[2]} group by actor_type`;
  expect(rows).toEqual([{ actor_type: 'WALLET', n: 2 }]);
});

test('two changes of one list at the same time are both kept', async () => {
  const path = await newVault(newWallet().address, semiPrivate);
  const wallets = Array.from({ length: 12 }, () => newWallet().address);
  const changed = await Promise.all(
    wallets.map((address) =>
      service.api.patch(`${path}/allowlist`, { type: 'INVESTOR', operation: 'ADD', addresses: [address] }),
    ),
  );
  expect(changed.map(({ status }) => status)).toEqual(wallets.map(() => 200));
  const { body } = await service.api.get<{ data: { investorWhitelist: string[] } }>(path);
  expect(body.data.investorWhitelist.toSorted()).toEqual(wallets.toSorted());
});
