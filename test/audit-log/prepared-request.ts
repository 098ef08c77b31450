import { type ApiService, newWallet } from '../vaults/api-service.ts';
import type { VaultWithCustody } from '../governance/vault-with-custody.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

/** What there is before the first request. */
export interface World {
  readonly service: ApiService;
  /** A locked vault in which three wallets have staked. */
  readonly governed: VaultWithCustody;
}

/** A request whose resources exist. */
export interface PreparedRequest {
  readonly method: 'post' | 'put' | 'patch' | 'del';
  readonly path: string;
  readonly body?: unknown;
  /** Id of the resource that it changes, where neither path nor response has it. */
  readonly resource?: string;
  /** Another caller than the ADMIN key. */
  readonly as?: { readonly key: string; readonly headers?: Readonly<Record<string, string>> };
}

/** Makes the resources of a request that succeeds. */
export type Prepare = (world: World) => PreparedRequest | Promise<PreparedRequest>;

/** Creates a vault whose windows are open; returns its path. */
export async function openVault({ service: { api } }: World): Promise<string> {
  const vaultId = await createVault({ api }, newWallet().address);
  return `/vaults/${vaultId}`;
}
