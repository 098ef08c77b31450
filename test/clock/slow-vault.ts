import type { DevWallet } from '../dev/dev-wallet.ts';
import { type DepositAnswer, readUnsigned, type UnsignedTransaction } from '../vault-lifecycle/participants.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';

export const DAY = 86_400;

/** The instant of the stack's clock. */
export async function timeOf({ root }: TestStack): Promise<number> {
  const { body } = await root.get<{ now: string }>('/dev/clock');
  return Date.parse(body.now);
}

/** Advances the clock by `seconds`; returns how long that took in milliseconds of wall time. */
export async function advance({ root }: TestStack, seconds: number): Promise<number> {
  const began = performance.now();
  const { status, body } = await root.post('/dev/clock/advance', { seconds });
  if (status !== 200) throw new Error(`the clock did not move: ${JSON.stringify(body)}`);
  return performance.now() - began;
}

/** A vault with a 30-day asset window and a 7-day investment window that begins on its 27th day. */
export async function createSlowVault(stack: TestStack, admin: DevWallet): Promise<string> {
  const body = vaultBody(admin.address);
  const { status, body: created } = await stack.api.post<{ vault_id: string }>('/vaults', {
    ...body,
    asset_settings: { ...body.asset_settings, asset_window_duration: '30:00:00' },
    investment_settings: {
      ...body.investment_settings,
      investment_start_time: new Date((await timeOf(stack)) + 27 * DAY * 1000).toISOString(),
      investment_window_duration: '168h',
    },
  });
  if (status !== 201) throw new Error(`no vault: ${JSON.stringify(created)}`);
  return created.vault_id;
}

/** Requests to add an NFT; its transaction still has to be signed. */
export async function addNft(
  { api }: TestStack,
  vaultId: string,
  owner: DevWallet & { policyId: string },
  name: string,
) {
  const { status, body } = await api.post<Pick<DepositAnswer, 'transaction'>>(`/vaults/${vaultId}/assets`, {
    policy_id: owner.policyId,
    asset_name: name,
    valuation_method: 'floor_price',
    metadata: { creator: 'a test', legal_proof: 'https://example.com/proof' },
    wallet_address: owner.address,
  });
  if (status !== 201) throw new Error(`no asset: ${JSON.stringify(body)}`);
  return readUnsigned(body.transaction);
}

/** Requests an investment; its transaction still has to be signed. */
export async function invest({ api }: TestStack, vaultId: string, { address }: DevWallet, lovelace: number) {
  const { status, body } = await api.post<{ data: { transaction: UnsignedTransaction } }>(
    `/vaults/${vaultId}/investments`,
    { walletAddress: address, lovelace },
  );
  if (status !== 201) throw new Error(`no investment: ${JSON.stringify(body)}`);
  return body.data.transaction;
}
