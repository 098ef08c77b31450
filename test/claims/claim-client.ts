import { expect } from '@jest/globals';
import type { ApiService } from '../vaults/api-service.ts';
import { attemptClaim, type Claim, type ClaimResponse, type Wallet } from './attempt-claim.ts';
import { land } from './vault-with-pot.ts';

/** The response to a refused claim, or to its refused signature. */
export const refusal = (code: string, details?: object) => ({
  status: 400,
  body: { error: { code, ...(details && { details }) } },
});

/** Requests about claims with the key of an administrator. */
export function claimClient(service: ApiService) {
  /** Asks for a claim. */
  const ask = (vaultId: string, { address }: { readonly address: string }, body: object = {}) =>
    service.api.post<ClaimResponse>(`/vaults/${vaultId}/claims`, { walletAddress: address, ...body });
  const sign = ({ transaction: { hash, unsignedTx } }: Claim, { sign: signs }: Wallet) =>
    service.api.post(`/transactions/${hash}/witnesses`, { witnessSet: signs(unsignedTx) });
  const read = async (vaultId: string, { id }: Claim) =>
    (await service.api.get<ClaimResponse>(`/vaults/${vaultId}/claims/${id}`)).body.data;

  /** As `ask`, for a claim that is not refused. */
  async function asked(vaultId: string, wallet: { readonly address: string }, body: object = {}): Promise<Claim> {
    const answer = await ask(vaultId, wallet, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body.data;
  }

  async function signed(vaultId: string, wallet: Wallet, body: object = {}): Promise<Claim> {
    const claim = await asked(vaultId, wallet, body);
    expect(await sign(claim, wallet)).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
    return claim;
  }

  async function paid(vaultId: string, wallet: Wallet, body: object = {}): Promise<Claim> {
    const claim = await signed(vaultId, wallet, body);
    await land(service, claim.transaction.hash);
    return claim;
  }

  const attempt = (vaultId: string, wallet: Wallet) => attemptClaim(service.api, vaultId, wallet);
  return { ask, sign, read, asked, signed, paid, attempt };
}
