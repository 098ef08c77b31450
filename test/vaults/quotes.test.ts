import { expect, test } from '@jest/globals';
import type { SettlementInput } from '../../src/settlement/rules/distribution.ts';
import { evaluateFdv } from '../../src/settlement/rules/fdv-bounds.ts';
import { quote } from '../../src/settlement/rules/quote.ts';
import { instant } from '../../src/platform/units/time.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { settlementInput } from '../../src/settlement/settlement-input.ts';
import { getVault } from '../../src/vaults/queries/vaults.ts';
import { cached, recordStatements } from '../store/recorded-statements.ts';
import { type ApiService, apiService } from './api-service.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

interface Started {
  readonly data: { readonly investmentId: string };
}
interface QuoteResponse {
  readonly data: {
    readonly ftBaseUnits: string;
    readonly figures: { readonly invested: string; readonly fdv: string };
  };
}

interface InvestmentsResponse {
  readonly data: {
    readonly investments: readonly {
      readonly investmentId: string;
      readonly boundHolds: boolean;
      readonly fdvBoundHolds: boolean;
    }[];
  };
}

const [FEW, INVESTORS] = [150, 5_000];

test('a quote is to the unit what the settlement would give, and bounds hold as it judges them; in a vault of thousands no single investment without a bound is read', async () => {
  await using service = await apiService();
  const owner = await service.fundedWallet({ Boat: '1' });
  const investor = await service.fundedWallet();
  const vaultId = await createVault(service, owner.address);
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  expect(await service.api.post(`/vaults/${vaultId}/assets`, asset)).toMatchObject({ status: 201 });
  const investment = { walletAddress: investor.address, lovelace: 5_000_000 };
  const first = await service.api.post<Started>(`/vaults/${vaultId}/investments`, investment);
  await service.sql.run`update assets set status = 'LOCKED', price = 30000000007 where vault_id = ${vaultId}`;
  const invest = (from: number, to: number) =>
    service.sql.query(
      `insert into investments (id, vault_id, wallet, lovelace, delivery_deposit, min_vault_value, max_fdv, status,
       transaction_id, created_at, updated_at)
     select gen_random_uuid(), vault_id, wallet, 5000000 + 7919 * n, delivery_deposit,
       case when n % 10 = 0 then 99999999999999 else 0 end, case when n % 21 = 0 then 1000000::numeric * n when n % 7 = 0 then 100000000::numeric * n end,
       'CONFIRMED', transaction_id, created_at, updated_at
     from investments, generate_series($2::int, $3::int) as n where id = $1`,
      [first.body.data.investmentId, from, to],
    );

  await invest(INVESTORS - FEW + 1, INVESTORS);
  await expectQuotes(service, vaultId, { investors: FEW, isOneStatement: true });
  await invest(1, INVESTORS - FEW);
  await expectQuotes(service, vaultId, { investors: INVESTORS, isOneStatement: false });
});

async function expectQuotes(
  service: ApiService,
  vaultId: string,
  { investors, isOneStatement }: { readonly investors: number; readonly isOneStatement: boolean },
) {
  const vault = await getVault(service.db, vaultId);
  const input = await settlementInput(service.db, vault, lovelace(0n));
  await expectBounds(service, vaultId, input);
  expect(input.investors).toHaveLength(investors);
  for (const amount of [5_000_000n, 123_456_789n, 7_000_000_001n]) {
    using recorded = recordStatements();
    const { body } = await service.api.get<QuoteResponse>(`/vaults/${vaultId}/quote?lovelace=${amount}`);
    const statements = recorded
      .ofRequests()
      .filter(({ text }) => !cached.test(text))
      .map(({ text }) => text);
    expect(statements.length === 1).toBe(isOneStatement);
    expect(statements.filter((text) => /select \* from "investments"(?!.*"max_fdv" is not null)/.test(text))).toEqual(
      [],
    );
    const { ft, distribution } = quote(input, lovelace(amount), instant(Date.now()));
    expect(distribution.kind).toBe('settles');
    expect(body.data).toMatchObject({
      ftBaseUnits: ft.toString(),
      figures: { invested: distribution.invested.toString(), fdv: distribution.fdv.toString() },
    });
  }
}

/** Expects the investments of a vault to hold their bounds on the FDV or not as the settlement would judge them. */
async function expectBounds(
  { api }: ApiService,
  vaultId: string,
  { contributors, investors, ftPercentage }: SettlementInput,
) {
  const value = contributors.reduce((sum, one) => sum + one.value, 0n);
  const accepting = investors.filter(({ minVaultValue = 0n }) => minVaultValue <= value);
  const { above, fdv } = evaluateFdv(accepting, ftPercentage);
  expect(above.size).toBeGreaterThan(0);
  const bounds = new Map(investors.map(({ id, maxFdv, minVaultValue = 0n }) => [id, { maxFdv, minVaultValue }]));
  const { body } = await api.get<InvestmentsResponse>(`/vaults/${vaultId}/investments?status=CONFIRMED&limit=100`);
  expect(body.data.investments).toHaveLength(100);
  for (const { investmentId: id, boundHolds, fdvBoundHolds } of body.data.investments) {
    const { maxFdv, minVaultValue } = bounds.get(id)!;
    expect({ id, boundHolds, fdvBoundHolds }).toEqual({
      id,
      boundHolds: minVaultValue <= value,
      fdvBoundHolds: !above.has(id) && (maxFdv ?? fdv) >= fdv,
    });
  }
}
