import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/access/api-keys.ts';
import { hashSessionToken, newSessionToken, sessionTimes } from '../../src/access/sessions.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { insertApiKey } from '../../src/access/queries/api-keys.ts';
import { insertSession } from '../../src/access/queries/sessions.ts';
import { countFreeVaultKeys, publishVaultKeys } from '../../src/vaults/queries/vaults.ts';
import { proposalBody, propose, voteBody } from '../governance/staked-vault.ts';
import {
  addCustodyNft,
  createSignedPurchase,
  type VaultWithCustody,
  vaultWithCustody,
} from '../governance/vault-with-custody.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { fullAsset, fullDeposit } from '../vaults/full-requests.ts';
import { createPool } from './pool.ts';
import type { CallerKind } from './requests.ts';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** What there is before the first request: a vault that takes deposits, one that is governed, and three callers. */
export async function fuzzWorld() {
  const service = await apiService();
  const worker = await presentWorker(service);
  const open = await openVault(service);
  const governed = await governedVault(service);
  const { admin, plain, session, keyId } = await callersOf(service, governed.vault);
  let token = await session();
  const credentials: Readonly<Record<CallerKind, () => Record<string, string>>> = {
    nobody: () => ({}),
    stranger: () => ({ 'x-api-key': formatApiKey({ environment: 'test', id: hex(16), secret: randomBytes(32) }) }),
    plain: () => ({ 'x-api-key': plain }),
    wallet: () => ({ 'x-api-key': plain, authorization: `Bearer ${token}` }),
    admin: () => ({ 'x-api-key': admin }),
    adminAndWallet: () => ({ 'x-api-key': admin, authorization: `Bearer ${token}` }),
  };
  return {
    service,
    url: service.url,
    pool: createPool({ ...joined(open.known, governed.known), keyId: [keyId], name: ['a-flag'] }),
    bodies: { ...open.bodies, ...governed.bodies },
    credentials: (caller: CallerKind) => credentials[caller](),
    /** Gives back what a request has used up or switched off, so that the next ones reach as far. */
    async restore(): Promise<void> {
      await service.sql.run`delete from pauses`;
      token = await session();
      await supplyPlatform(service);
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** As if a worker lived, until it is disposed of: without one the service says that it is not ready. */
async function presentWorker({ sql }: ApiService): Promise<AsyncDisposable> {
  await sql.run`insert into worker_presence (worker_id, seen_at) values (gen_random_uuid(), now())`;
  const end = new AbortController();
  const living = (async () => {
    while (!end.signal.aborted) {
      await sql.run`update worker_presence set seen_at = now()`;
      await pause(3_000, undefined, { signal: end.signal }).catch(() => undefined);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await living;
    },
  };
}

export type FuzzWorld = Awaited<ReturnType<typeof fuzzWorld>>;

type Names = Readonly<Record<string, readonly string[]>>;

const joined = (one: Names, other: Names): Names =>
  Object.fromEntries(
    [...Object.keys(one), ...Object.keys(other)].map((name) => [name, [...(one[name] ?? []), ...(other[name] ?? [])]]),
  );

interface Started {
  readonly data: { readonly investmentId: string; readonly transaction: { readonly tx_hash: string } };
}

/** A vault whose windows are open, with an asset and an investment whose transactions wait for their wallets. */
async function openVault(service: ApiService) {
  const { api } = service;
  const [owner, investor] = [await service.fundedWallet({ Boat: '1', Grain: '1000' }), await service.fundedWallet()];
  const made = await api.post<{ vault_id: string }>('/vaults', vaultBody(owner.address));
  const path = `/vaults/${made.body.vault_id}`;
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  const added = await api.post<{ asset_id: string; transaction: { tx_hash: string } }>(`${path}/assets`, asset);
  const investment = { walletAddress: investor.address, lovelace: 5_000_000 };
  const { data } = (await api.post<Started>(`${path}/investments`, investment)).body;
  const known = {
    vaultId: [made.body.vault_id],
    assetId: [added.body.asset_id],
    investmentId: [data.investmentId],
    hash: [added.body.transaction.tx_hash, data.transaction.tx_hash],
    address: [owner.address, investor.address],
    policyId: [owner.policyId],
    assetName: ['Boat', 'Grain'],
  };
  const bodies = {
    createVault: [vaultBody(owner.address)],
    addAsset: [asset, fullAsset(owner)],
    createDeposit: [fullDeposit(owner)],
    invest: [investment],
    createNonce: [{ address: owner.address }],
    sendBatch: [
      {
        requests: [
          { id: 'one', method: 'GET', path: `/api/v1${path}` },
          { id: 'two', method: 'POST', path: `/api/v1${path}/assets`, body: asset },
          { id: 'three', method: 'POST', path: '/api/v1/vaults', body: {} },
        ],
      },
    ],
  };
  return { known, bodies };
}

/** A locked vault with stakes, a proposal that is voted on and one whose execution is frozen. */
async function governedVault(service: ApiService) {
  const vault = await vaultWithCustody(service);
  const { vaultId, big, middle } = vault;
  const held = await addCustodyNft(service, vault);
  const seller = newWallet();
  const purchase = await createSignedPurchase(service, vault, seller);
  const proposalId = await propose(service, vaultId, big.address);
  const vote = voteBody(middle.address, 1, 'yes');
  const voted = await service.api.post<{ vote_id: string }>(`/proposals/${proposalId}/votes`, vote);
  // As if its windows had ended and its settlement had minted the tokens.
  await service.sql.run`update windows
       set status = 'COMPLETED', starts_at = now() - interval '2 d', ends_at = now() - interval '1 d',
       closed_at = now() where vault_id = ${vaultId}`;
  await service.sql.run`update vaults set ft_unit = ${hex(28) + hex(6)} where id = ${vaultId}`;
  const { rows } = await service.sql.query<{ stakes: string[]; assets: string[] }>(
    `select array(select id::text from stakes where vault_id = $1) as stakes,
      array(select id::text from assets where vault_id = $1) as assets`,
    [vaultId],
  );
  const known = {
    vaultId: [vaultId],
    address: [big.address, middle.address],
    proposalId: [proposalId, purchase.id],
    voteId: [voted.body.vote_id],
    factId: [voted.body.vote_id, proposalId],
    hash: [purchase.hash],
    stakeId: rows[0]?.stakes ?? [],
    assetId: rows[0]?.assets ?? [],
    policyId: [held.policy_id],
    assetName: [held.asset_name],
  };
  const details = { title: 'Sell it', description: 'All of it', action_type: 'sell_asset', affected_assets: [held] };
  const sale = { proposer: big.address, proposal_details: { ...details, terms: { price: 600_000_000 } } };
  const bodies = {
    createProposal: [proposalBody(big.address), sale],
    castVote: [voteBody(big.address, 5, 'no')],
    endorseProposal: [{ walletAddress: middle.address }],
    stake: [{ walletAddress: big.address, amount: 1 }],
    freezeExecution: [purchase.body],
    executeProposal: [purchase.body],
  };
  return { vault, known, bodies };
}

/** An ADMIN key, a key without roles, and sessions of the largest staker. */
async function callersOf({ db }: ApiService, { big }: VaultWithCustody) {
  const createdAt = new Date();
  const newKey = async (roles: string[]) => {
    const text = formatApiKey({ environment: 'test', id: hex(16), secret: randomBytes(32) });
    const { id, environment, secret } = parseApiKey(text)!;
    const stored = { id, environment, name: 'fuzz', secretHash: hashSecret(secret), roles, createdBy: 'test' };
    await insertApiKey(db, { ...stored, createdAt });
    return text;
  };
  const spare = parseApiKey(await newKey([]))!;
  return {
    admin: await newKey(['ADMIN']),
    plain: await newKey([]),
    /** Of a key that nobody uses. */
    keyId: spare.id,
    session: async (): Promise<string> => {
      const token = newSessionToken();
      const times = sessionTimes(wallClock.now());
      const session = { id: crypto.randomUUID(), wallet: big.address, keyHash: big.keyHash, ...times };
      await db.transaction().execute((tx) => insertSession(tx, session, hashSessionToken(token)));
      return token;
    },
  };
}

/** Creating a vault takes a vault key and an output of the platform, which a worker would replace. */
async function supplyPlatform({ db, sql, ledger }: ApiService): Promise<void> {
  const { free, nextIndex } = await countFreeVaultKeys(db);
  if (free < 10) {
    const keys = Array.from({ length: 20 }, (_, at) => ({
      index: nextIndex + at,
      vaultKeyHash: hex(28),
      policyKeyHash: hex(28),
    }));
    await publishVaultKeys(db, keys);
    const rows = await sql.run<{ address: string }>`select operator_address as address from platform`;
    for (let outputs = 0; outputs < 20; outputs += 1)
      await ledger.faucet({ address: rows[0]?.address ?? '', lovelace: '10000000000' });
    await ledger.mine();
  }
}
