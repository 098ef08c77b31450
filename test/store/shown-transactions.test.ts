import { expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';

type Caller = Awaited<ReturnType<typeof logIn>>;
interface Listed {
  readonly data: { readonly transactions: readonly { readonly hash: string }[] };
  readonly metadata: { readonly pagination: { readonly total: number; readonly next: string | null } };
}

/** What a caller finds by reading all pages of the list, by its total, and by asking for each transaction. */
async function foundBy({ api, sql }: ApiService, caller: Caller | object) {
  const listed: string[] = [];
  let total: number;
  let next: string | null = null;
  do {
    const { body }: { body: Listed } = await api.get<Listed>(
      `/transactions?limit=2${next === null ? '' : `&after=${next}`}`,
      caller,
    );
    listed.push(...body.data.transactions.map(({ hash }) => hash));
    ({ total, next } = body.metadata.pagination);
  } while (next !== null);
  const rows = await sql.run<{ hash: string }>`select hash from chain_transactions order by created_at desc, id desc`;
  const read: string[] = [];
  for (const { hash } of rows) if ((await api.get(`/transactions/${hash}`, caller)).status === 200) read.push(hash);
  return { listed, read, total };
}

test('a list of all transactions has each that the caller may read, once, whatever type a vault gets', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const [admin, investor, stranger] = [signingWallet(), signingWallet(), signingWallet()];
  const closed = { ...vaultBody(admin.address), vault_type: 'private', privacy_type: 'private' };
  const made: string[] = [];
  for (const body of [closed, vaultBody(admin.address), closed, vaultBody(investor.address)])
    made.push((await api.post<{ vault_id: string }>('/vaults', body)).body.vault_id);
  const [ofInvestor, , hidden, open] = made;
  await sql.run`update vaults set investor_whitelist = array[${investor.address}] where id = ${ofInvestor}`;
  // One that belongs to no vault, one of a hidden vault that the stranger signs, and one of a vault whose status says nothing.
  await sql.run`update chain_transactions set vault_id = null where vault_id = ${open}`;
  await sql.run`update chain_transactions set wallet = ${stranger.address} where vault_id = ${hidden}`;
  const callers = [{}, ...(await Promise.all([admin, investor, stranger].map((one) => logIn(service, one))))];

  async function expectEach(counts: readonly number[]) {
    for (const [place, caller] of callers.entries()) {
      const { listed, read, total } = await foundBy(service, caller);
      expect({ place, listed, total }).toEqual({ place, listed: read, total: counts[place] });
    }
  }
  await expectEach([4, 4, 3, 3]);
  await sql.run`update vaults set type = case type when 'PRIVATE' then 'PUBLIC' else 'PRIVATE' end`;
  await expectEach([4, 4, 3, 3]);
});
