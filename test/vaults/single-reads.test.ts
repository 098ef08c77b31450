import { expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { logIn } from './logged-in-wallet.ts';
import { depositedVault } from '../store/deposited-vault.ts';
import { errorResponse } from '../stack/error-response.ts';

interface Started {
  readonly data: {
    readonly investmentId: string;
    readonly ownerScript: object;
    readonly transaction: { readonly hash: string };
  };
}

const missing = (code: string) => errorResponse(404, code);

/** Gives a wallet a second output, so that it can pay for two open transactions. */
async function fundAgain({ ledger }: ApiService, address: string): Promise<void> {
  await ledger.faucet({ address, lovelace: '100000000', assets: [] });
  await ledger.mine();
}

test('an asset, an investment and their transactions are read alone, by wallet and by vault, and never across vaults', async () => {
  await using service = await apiService();
  const { api } = service;
  const owner = await service.fundedWallet({ Boat: '1' });
  await fundAgain(service, owner.address);
  const newVault = async (change: object = {}) => {
    const made = await api.post<{ vault_id: string }>('/vaults', { ...vaultBody(owner.address), ...change });
    return made.body.vault_id;
  };
  const [vaultId, hidden] = [await newVault(), await newVault({ vault_type: 'private', privacy_type: 'private' })];
  const path = `/vaults/${vaultId}`;
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  const added = await api.post<{ asset_id: string; owner_script: object; transaction: { tx_hash: string } }>(
    `${path}/assets`,
    asset,
  );
  const investor = await service.fundedWallet();
  const investment = { walletAddress: investor.address, lovelace: 5_000_000 };
  const invested = await api.post<Started>(`${path}/investments`, investment);
  const secret = await api.post<Started>(`/vaults/${hidden}/investments`, {
    lovelace: 5_000_000,
    walletAddress: owner.address,
  });

  expect(await api.get(`${path}/assets/${added.body.asset_id}`)).toMatchObject({
    status: 200,
    body: { data: { assetId: added.body.asset_id, status: 'PENDING', addedBy: owner.address, settledValue: null } },
  });
  const { investmentId } = invested.body.data;
  // What an owner needs to leave is in every answer about a deposit: the script of the address that the transaction pays to.
  for (const [list, id, hash, ownerScript] of [
    ['assets', added.body.asset_id, added.body.transaction.tx_hash, added.body.owner_script],
    ['investments', investmentId, invested.body.data.transaction.hash, invested.body.data.ownerScript],
  ] as const) {
    const rows = await service.sql.run<{ address: string }>`select outputs -> 0 ->> 'address' as address
        from chain_transactions where hash = ${hash}`;
    expect(ownerScript).toMatchObject({
      address: rows[0]?.address,
      cbor: expect.any(String),
      slot: expect.any(Number),
    });
    expect(await api.get(`${path}/${list}/${id}`)).toMatchObject({ body: { data: { ownerScript } } });
    expect(await api.get(`${path}/${list}?limit=5`)).toMatchObject({ body: { data: { [list]: [{ ownerScript }] } } });
  }
  expect(await api.get(`${path}/investments/${investmentId}`)).toMatchObject({
    status: 200,
    body: { data: { investmentId, status: 'PENDING', transactionHash: invested.body.data.transaction.hash } },
  });
  expect(await api.get(`/vaults/${hidden}/assets/${added.body.asset_id}`)).toMatchObject(missing('ASSET_NOT_FOUND'));
  expect(await api.get(`/vaults/${hidden}/investments/${investmentId}`)).toMatchObject(missing('INVESTMENT_NOT_FOUND'));

  const hashes = async (query: string, as?: object) => {
    const { status, body } = await api.get<{ data: { transactions: { hash: string }[] } }>(`/transactions${query}`, as);
    expect(status).toBe(200);
    return body.data.transactions.map(({ hash }) => hash);
  };
  expect(await hashes(`?wallet=${investor.address}`)).toEqual([invested.body.data.transaction.hash]);
  expect(await hashes(`?vaultId=${vaultId}&status=awaiting_signatures&sort=createdAt:asc`)).toEqual([
    added.body.transaction.tx_hash,
    invested.body.data.transaction.hash,
  ]);
  expect(await hashes('?kind=invest')).toEqual([secret, invested].map(({ body }) => body.data.transaction.hash));
  const stranger = await logIn(service, signingWallet());
  expect(await hashes('?kind=invest', stranger)).toEqual([invested.body.data.transaction.hash]);
  expect(await api.get('/transactions?kind=gift')).toMatchObject({ status: 400 });
});

test('a wallet finds its vaults, with what it is in each, and a stranger only those that all may read', async () => {
  await using service = await apiService();
  const { api } = service;
  const [admin, investor] = [await service.fundedWallet(), await service.fundedWallet()];
  await fundAgain(service, investor.address);
  const made = [];
  for (const type of ['public', 'private']) {
    const body = {
      ...vaultBody(admin.address),
      vault_type: type,
      privacy_type: type,
      investor_whitelist: [investor.address],
    };
    made.push((await api.post<{ vault_id: string }>('/vaults', body)).body.vault_id);
  }
  const [open = '', hidden = ''] = made;
  for (const vaultId of made)
    await api.post(`/vaults/${vaultId}/investments`, { walletAddress: investor.address, lovelace: 6_000_000 });
  await service.sql.run`update investments set status = 'CONFIRMED' where vault_id = ${hidden}`;
  const contributor = await service.fundedWallet({ Boat: '1' });
  const asset = { policy_id: contributor.policyId, asset_name: 'Boat', wallet_address: contributor.address };
  expect(await api.post(`/vaults/${open}/assets`, asset)).toMatchObject({ status: 201 });
  await service.sql.run`update assets set status = 'LOCKED', locked_at = now()`;
  const vaults = async (wallet: string, as?: object) =>
    (await api.get<{ data: { vaults: object[] } }>(`/wallets/${wallet}/vaults`, as)).body.data.vaults;
  expect(await vaults(admin.address)).toMatchObject([
    { vaultId: hidden, roles: ['admin'], deposits: { assets: 0, investedLovelace: '0' } },
    { vaultId: open, roles: ['admin'] },
  ]);
  expect(await vaults(investor.address)).toMatchObject([
    {
      vaultId: hidden,
      type: 'PRIVATE',
      roles: ['investor'],
      deposits: { investedLovelace: '6000000', stakedBaseUnits: '0' },
    },
    { vaultId: open, deposits: { investedLovelace: '0' } },
  ]);
  expect(await vaults(contributor.address)).toMatchObject([
    { vaultId: open, roles: ['contributor'], deposits: { assets: 1, investedLovelace: '0' } },
  ]);
  const stranger = await logIn(service, signingWallet());
  expect(await vaults(investor.address, stranger)).toMatchObject([{ vaultId: open }]);
  expect(await api.get('/wallets/nonsense/vaults')).toMatchObject({ status: 400 });
});

test('an investment says of its bounds alone what it says in the list, whether it has one, both or none', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, assetId, investmentId } = await depositedVault(service);
  await sql.run`update assets set status = 'LOCKED' where id = ${assetId}`;
  const much = 10n ** 15n;
  const bounds = [
    { least: 0n, most: null, holds: { boundHolds: true, fdvBoundHolds: true } },
    { least: 1n, most: null, holds: { boundHolds: true, fdvBoundHolds: true } },
    { least: much, most: null, holds: { boundHolds: false, fdvBoundHolds: true } },
    { least: 0n, most: 1n, holds: { boundHolds: true, fdvBoundHolds: false } },
    { least: 0n, most: much, holds: { boundHolds: true, fdvBoundHolds: true } },
    { least: 1n, most: 1n, holds: { boundHolds: true, fdvBoundHolds: false } },
  ];
  for (const { least, most, holds } of bounds) {
    const values = [investmentId, String(least), most === null ? null : String(most)];
    await sql.query(
      "update investments set status = 'CONFIRMED', min_vault_value = $2, max_fdv = $3 where id = $1",
      values,
    );
    const alone = await api.get<{ data: object }>(`/vaults/${vaultId}/investments/${investmentId}`);
    expect(alone).toMatchObject({ status: 200, body: { data: holds } });
    expect(await api.get(`/vaults/${vaultId}/investments`)).toMatchObject({
      body: { data: { investments: [alone.body.data] } },
    });
  }
});
