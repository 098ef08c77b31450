import { randomUUID } from 'node:crypto';
import { newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { openVault, type Prepare, type World } from './prepared-request.ts';

interface Started {
  readonly data: {
    readonly investmentId: string;
    readonly transaction: { readonly hash: string; readonly unsignedTx: string };
  };
}

/** A request to add a new NFT to an open vault. */
async function assetToAdd(world: World) {
  const name = `Boat ${randomUUID().slice(0, 8)}`;
  const owner = await world.service.fundedWallet({ [name]: '1' });
  const asset = { policy_id: owner.policyId, asset_name: name, wallet_address: owner.address };
  return { vault: await openVault(world), asset };
}

/** An investment whose transaction its wallet has not signed. */
async function startedInvestment(world: World) {
  const [vault, investor] = [await openVault(world), await world.service.fundedWallet()];
  const body = { walletAddress: investor.address, lovelace: 5_000_000 };
  const { data } = (await world.service.api.post<Started>(`${vault}/investments`, body)).body;
  return { vault, investor, ...data };
}

/** A vault that counts as settled; returns the path of its rotations. */
async function rotationsOf(world: World): Promise<string> {
  const path = await openVault(world);
  const vaultId = path.split('/').at(-1);
  await world.service.sql.run`update vaults set status = 'LOCKED', locked_at = now() where id = ${vaultId}`;
  return `${path}/rotations`;
}

/** Requests for vaults, and for what wallets bring into them. */
export const vaultRequests: Readonly<Record<string, Prepare>> = {
  createVault: () => ({ method: 'post', path: '/vaults', body: vaultBody(newWallet().address) }),
  changeVaultSettings: async (world) => {
    const path = await openVault(world);
    return { method: 'patch', path, body: { investorAllowList: { enabled: true, addresses: [newWallet().address] } } };
  },
  changeAllowList: async (world) => {
    const body = { type: 'CONTRIBUTOR', operation: 'ADD', addresses: [newWallet().address] };
    return { method: 'patch', path: `${await openVault(world)}/allowlist`, body };
  },
  cancelVault: async (world) => ({ method: 'post', path: `${await openVault(world)}/cancel` }),
  deleteVault: async (world) => {
    const path = await openVault(world);
    await world.service.sql.run`update vaults
        set status = 'TERMINATED', termination_reason = 'cancelled', terminated_at = now()
        where id = ${path.split('/').at(-1)}`;
    await world.service.sql.run`update chain_transactions set state = 'final'
        where vault_id = ${path.split('/').at(-1)}`;
    return { method: 'del', path };
  },
  announceRotation: async (world) => {
    return { method: 'post', path: await rotationsOf(world), body: { reason: 'Yearly rotation' } };
  },
  cancelRotation: async (world) => {
    const path = await rotationsOf(world);
    const { body } = await world.service.api.post<{ data: { id: string } }>(path, { reason: 'Yearly rotation' });
    return { method: 'del', path: `${path}/${body.data.id}` };
  },
  replaceAdminEmail: async (world) => {
    return { method: 'put', path: `${await openVault(world)}/admin-email`, body: { email: 'other@example.com' } };
  },
  eraseAdminEmail: async (world) => ({ method: 'del', path: `${await openVault(world)}/admin-email` }),
  addAsset: async (world) => {
    const { vault, asset } = await assetToAdd(world);
    return { method: 'post', path: `${vault}/assets`, body: asset };
  },
  createDeposit: async (world) => {
    const { vault, asset } = await assetToAdd(world);
    const assets = [{ policyId: asset.policy_id, assetName: asset.asset_name }];
    return { method: 'post', path: `${vault}/deposits`, body: { walletAddress: asset.wallet_address, assets } };
  },
  removeAsset: async (world) => {
    const { vault, asset } = await assetToAdd(world);
    const added = await world.service.api.post<{ asset_id: string }>(`${vault}/assets`, asset);
    const id = added.body.asset_id;
    await world.service.sql.run`update assets set status = 'LOCKED', locked_at = now() where id = ${id}`;
    return { method: 'del', path: `${vault}/assets/${id}` };
  },
  invest: async (world) => {
    const { address } = await world.service.fundedWallet();
    const body = { walletAddress: address, lovelace: 5_000_000 };
    return { method: 'post', path: `${await openVault(world)}/investments`, body };
  },
  removeInvestment: async (world) => {
    const { vault, investmentId } = await startedInvestment(world);
    await world.service.sql.run`update investments set status = 'CONFIRMED' where id = ${investmentId}`;
    return { method: 'del', path: `${vault}/investments/${investmentId}` };
  },
  addWitnesses: async (world) => {
    const { investor, transaction } = await startedInvestment(world);
    const body = { witnessSet: investor.sign(transaction.unsignedTx) };
    return { method: 'post', path: `/transactions/${transaction.hash}/witnesses`, body };
  },
  withdrawTransaction: async (world) => {
    const { transaction } = await startedInvestment(world);
    return { method: 'del', path: `/transactions/${transaction.hash}` };
  },
  returnUnsolicited: async (world) => {
    const path = await openVault(world);
    const output = { txHash: 'ab'.repeat(32), index: 0 };
    await world.service.sql.run`insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address,
        lovelace, assets, seen_at)
        select ${output.txHash}, ${output.index}, id, 'custody', contract_address, 5000000, '{}', now() from vaults where id = ${path.split('/').at(-1)}`;
    const body = { outputs: [output], address: newWallet().address };
    return { method: 'post', path: `${path}/unsolicited/returns`, body };
  },
};
