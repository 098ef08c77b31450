import type { ApiService, newWallet } from '../vaults/api-service.ts';

export interface Claim {
  readonly id: string;
  readonly payoutLovelace: string;
  readonly transaction: {
    readonly hash: string;
    readonly unsignedTx: string;
    readonly expiresAt: string;
    readonly requiredSigners: readonly string[];
  };
}

export interface ClaimResponse {
  readonly data: Claim;
}

interface ErrorBody {
  readonly error: { readonly code: string };
}

export type Wallet = Pick<ReturnType<typeof newWallet>, 'address' | 'sign'>;

/** Asks and signs once, as a wallet among many: the signed claim, or the code with which asking or signing was refused. */
export async function attemptClaim(
  api: ApiService['api'],
  vaultId: string,
  { address, sign }: Wallet,
): Promise<{ signed: Claim | null; code: string | null }> {
  const codeOf = ({ body }: { readonly body: unknown }) => (body as ErrorBody).error.code;
  const answer = await api.post<ClaimResponse>(`/vaults/${vaultId}/claims`, { walletAddress: address });
  if (answer.status !== 201) return { signed: null, code: codeOf(answer) };
  const { hash, unsignedTx } = answer.body.data.transaction;
  const result = await api.post(`/transactions/${hash}/witnesses`, { witnessSet: sign(unsignedTx) });
  return result.status === 200 ? { signed: answer.body.data, code: null } : { signed: null, code: codeOf(result) };
}
