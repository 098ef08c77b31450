/** A frontend as somebody writes it who has read /docs and /docs/events, and nothing else: it acts on events and never asks for news. */
import { bech32, hex } from '@scure/base';
import {
  type Client,
  type Connection,
  createClient,
  followEvents,
  requireData,
  type ServiceEvent,
} from '../../../client/src/index.ts';

/** The part of a CIP-30 wallet that the page uses. */
export interface BrowserWallet {
  readonly getNetworkId: () => Promise<number>;
  /** In hex. */
  readonly getUsedAddresses: () => Promise<string[]>;
  readonly signData: (address: string, payload: string) => Promise<{ signature: string; key: string }>;
  readonly signTx: (tx: string, partialSign: boolean) => Promise<string>;
}

export interface Settings {
  readonly service: Connection;
  readonly vaultId: string;
  readonly policyId: string;
  readonly assetName: string;
}

interface Session {
  readonly settings: Settings;
  /** The wallet's address in bech32. */
  readonly address: string;
  readonly api: Client;
  readonly sign: (transaction: UnsignedTransaction) => Promise<void>;
  readonly show: (line: string) => void;
}

interface UnsignedTransaction {
  readonly hash: string;
  readonly unsignedTx?: string | undefined;
}

/** Logs in, deposits an asset, stakes, proposes and votes as the events of the vault allow; returns when the vote has a result. */
export async function runApp(settings: Settings, wallet: BrowserWallet, show: Session['show']): Promise<void> {
  const [hexAddress = ''] = await wallet.getUsedAddresses();
  const prefix = (await wallet.getNetworkId()) === 1 ? 'addr' : 'addr_test';
  const address = bech32.encode(prefix, bech32.toWords(hex.decode(hexAddress)), false);
  const member = await logIn(settings.service, wallet, { address, hexAddress });
  const session = { settings, address, api: createClient(member), sign: signWith(createClient(member), wallet), show };
  show('logged in');
  await deposit(session);
  for await (const event of followEvents(member, { vaultId: settings.vaultId }, { after: 0 })) {
    show(`event ${event.seq} ${event.type}`);
    if (await actOn(session, event)) return;
  }
}

async function logIn(
  service: Connection,
  wallet: BrowserWallet,
  { address, hexAddress }: Readonly<Record<'address' | 'hexAddress', string>>,
): Promise<Connection> {
  const app = createClient(service);
  const { data } = requireData(await app.POST('/api/v1/auth/nonces', { body: { address } }));
  const timestamp = Date.now();
  const signed = await wallet.signData(hexAddress, hex.encode(new TextEncoder().encode(`${data.nonce}:${timestamp}`)));
  const login = { address, nonce: data.nonce, timestamp, ...signed };
  const { data: session } = requireData(await app.POST('/api/v1/auth/sessions', { body: login }));
  return { ...service, token: session.token };
}

/** Signs a transaction of the service and gives it the signature. */
const signWith = (api: Client, wallet: BrowserWallet) => async (transaction: UnsignedTransaction) => {
  const { hash, unsignedTx = '' } = transaction;
  const witnessSet = await wallet.signTx(unsignedTx, true);
  const params = { path: { hash } };
  requireData(await api.POST('/api/v1/transactions/{hash}/witnesses', { params, body: { witnessSet } }));
};

async function deposit({ settings, api, sign }: Session): Promise<void> {
  const { vaultId, policyId, assetName } = settings;
  const body = { policy_id: policyId, asset_name: assetName };
  const params = { path: { vaultId } };
  const { transaction } = requireData(await api.POST('/api/v1/vaults/{vaultId}/assets', { params, body }));
  await sign({ hash: transaction.tx_hash, unsignedTx: transaction.unsigned_tx });
}

/** Does what an event makes possible; returns true after the result of the vote. */
async function actOn(session: Session, event: ServiceEvent): Promise<boolean> {
  if (event.type === 'VAULT_STATUS_CHANGED') {
    session.show(`the vault is ${event.data.to}`);
    if (event.data.to === 'LOCKED') await stakeAll(session);
  }
  if (event.type === 'STAKE_FINAL') await propose(session);
  if (event.type !== 'PROPOSAL_CREATED' && event.type !== 'PROPOSAL_STATUS_CHANGED') return false;
  const { proposalId, status } = event.data;
  session.show(`the proposal is ${status}`);
  if (status === 'ACTIVE') await vote(session, proposalId);
  if (status === 'PASSED') await showResult(session, proposalId);
  return status === 'PASSED';
}

/** Stakes every token that the settlement gave to the wallet. */
async function stakeAll({ settings, address, api, sign }: Session): Promise<void> {
  const { vaultId } = settings;
  const params = { path: { vaultId } };
  const { data: vault } = requireData(await api.GET('/api/v1/vaults/{vaultId}', { params }));
  const { data } = requireData(await api.GET('/api/v1/vaults/{vaultId}/entitlements', { params }));
  const mine = data.entitlements.find(({ wallet }) => wallet === address)?.ftBaseUnits ?? '0';
  const amount = wholeTokens(mine, vault.fractionalization?.tokenDecimals ?? 0);
  const { data: stake } = requireData(await api.POST('/api/v1/vaults/{vaultId}/stakes', { params, body: { amount } }));
  await sign(stake.transaction);
}

async function propose({ settings, address, api }: Session): Promise<void> {
  const { vaultId } = settings;
  const proposal_details = { title: 'Wind up', description: 'Sell all', action_type: 'liquidate', affected_assets: [] };
  const body = { proposer: address, proposal_details };
  requireData(await api.POST('/api/v1/vaults/{vaultId}/proposals', { params: { path: { vaultId } }, body }));
}

/** Votes with all of the wallet's power. */
async function vote({ address, api, show }: Session, proposalId: string): Promise<void> {
  const params = { path: { address }, query: { proposalId } };
  const { data } = requireData(await api.GET('/api/v1/wallets/{address}/voting-power', { params }));
  const voter = { wallet_address: address, staked_ft_amount: data.inProposal?.votingPower ?? 0 };
  const cast = { params: { path: { proposalId } }, body: { voter, vote: 'yes' } };
  requireData(await api.POST('/api/v1/proposals/{proposalId}/votes', cast));
  show('voted');
}

async function showResult({ api, show }: Session, proposalId: string): Promise<void> {
  const params = { path: { proposalId } };
  const { data } = requireData(await api.GET('/api/v1/proposals/{proposalId}', { params }));
  show(`result: ${data.votes.approve} for it, ${data.votes.reject} against it`);
}

/** Base units as whole tokens, without losing digits. */
function wholeTokens(baseUnits: string, decimals: number): string {
  const digits = baseUnits.padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}
