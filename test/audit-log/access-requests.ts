import { randomUUID } from 'node:crypto';
import { signingWallet } from '../http/signing-wallet.ts';
import { newWallet } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import type { Prepare, World } from './prepared-request.ts';

const flag = {
  enabled: true,
  version: 'v1.0.0',
  rolloutPercentage: 100,
  conditions: { clientIds: [newWallet().address] },
};
const announcement = { kind: 'NEW_VERSION', version: 'v1.1.0', message: 'Vaults can be read with expand' };
const house = { base: 'NFT', priceSources: ['admin'] };
const club = { contributors: 'listed', investors: 'anyone' };
const newFlag = () => `a-${randomUUID().slice(0, 8)}`;
const newType = () => `A_${randomUUID().slice(0, 8).toUpperCase()}`;

/** Sends a PUT that makes what the other request needs; returns its path. */
async function put({ service: { api } }: World, path: string, body: object): Promise<string> {
  await api.put(path, body);
  return path;
}

async function newKey({ service: { api } }: World): Promise<string> {
  const made = await api.post<{ data: { id: string } }>('/api-keys', { name: 'a client', roles: ['VOTER'] });
  return made.body.data.id;
}

/** Logs a wallet in; returns the id of its session, and the caller. */
async function newSession({ service }: World) {
  const as = await logIn(service, signingWallet());
  const listed = await service.api.get<{ data: { sessions: { id: string }[] } }>('/auth/sessions', as);
  return { id: listed.body.data.sessions[0]?.id ?? '', as };
}

/** Requests for sessions, keys and roles. */
export const accessRequests: Readonly<Record<string, Prepare>> = {
  createNonce: () => ({ method: 'post', path: '/auth/nonces', body: { address: newWallet().address } }),
  createSession: async ({ service: { api } }) => {
    const wallet = signingWallet();
    const { address } = wallet;
    const { nonce } = (await api.post<{ data: { nonce: string } }>('/auth/nonces', { address })).body.data;
    const timestamp = Date.now();
    const body = { address, nonce, timestamp, ...wallet.signData(address, `${nonce}:${timestamp}`) };
    return { method: 'post', path: '/auth/sessions', body };
  },
  endCurrentSession: async (world) => {
    const { id: resource, as } = await newSession(world);
    return { method: 'del', path: '/auth/sessions', as, resource };
  },
  endSession: async (world) => {
    const { id, as } = await newSession(world);
    return { method: 'del', path: `/auth/sessions/${id}`, as };
  },
  createApiKey: () => ({ method: 'post', path: '/api-keys', body: { name: 'a client', roles: ['VOTER'] } }),
  rotateApiKey: async (world) => ({ method: 'post', path: `/api-keys/${await newKey(world)}/rotate`, body: {} }),
  revokeApiKey: async (world) => ({ method: 'del', path: `/api-keys/${await newKey(world)}` }),
  replaceWalletRoles: () => {
    return { method: 'put', path: `/wallets/${newWallet().address}/roles`, body: { roles: ['VOTER'] } };
  },
};

/** Requests of an operator. */
export const operatorRequests: Readonly<Record<string, Prepare>> = {
  sendBatch: () => {
    const requests = [{ id: 'one', method: 'GET', path: '/api/v1/versions' }];
    return { method: 'post', path: '/batch', body: { requests } };
  },
  registerVaultType: () => ({ method: 'put', path: `/vault-types/${newType()}`, body: club }),
  retireVaultType: async (world) => ({ method: 'del', path: await put(world, `/vault-types/${newType()}`, club) }),
  registerAssetType: () => ({ method: 'put', path: `/asset-types/${newType()}`, body: house }),
  retireAssetType: async (world) => ({ method: 'del', path: await put(world, `/asset-types/${newType()}`, house) }),
  createAnnouncement: () => ({ method: 'post', path: '/announcements', body: announcement }),
  setPause: () => ({ method: 'put', path: '/pauses/creation', body: { reason: 'maintenance' } }),
  endPause: async (world) => ({ method: 'del', path: await put(world, '/pauses/creation', { reason: 'maintenance' }) }),
  putFeatureFlag: () => ({ method: 'put', path: `/feature-flags/${newFlag()}`, body: flag }),
  deleteFeatureFlag: async (world) => ({ method: 'del', path: await put(world, `/feature-flags/${newFlag()}`, flag) }),
};
